"""Tables nobody prepared, as a clinic and a survey keep them, and the right kinds of their
columns.

Kinds are w whole numbers, n numbers, l a list, d dates, t dates with a time, o left out, ?
asked."""

import csv
from datetime import datetime, timedelta
from pathlib import Path
from random import Random

from synth.private.counting.look import Look
from synth.util import Document

KINDS = {"string": "l", "integer": "w", "number": "n", "date": "d", "datetime": "t"}


def list_kinds(look: Look) -> list[str]:
    """What each column was settled as."""
    letters = []
    for column in look.columns:
        letter = "?" if column.is_open else KINDS[str(column.field.get("type", "string"))]
        letters.append("o" if column.left_out else letter)
    return letters


def list_fields(look: Look) -> list[Document]:
    """The field of each column."""
    return [column.field for column in look.columns]


def reasons_by_column(look: Look) -> dict[str, str]:
    """Why each column is what it is."""
    return {column.name: column.reason for column in look.columns}


def write_columns(path: Path, columns: dict[str, list[object]]) -> Path:
    """A table as CSV."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))
    return path


def make_clinic(draw: Random, rows: int) -> tuple[dict[str, list[object]], str]:
    """Dates of every form, contacts, keys, codes and markers."""
    days = [
        datetime(2014, 1, 1) + timedelta(minutes=draw.randrange(1_300_000))
        for _ in range(rows)
    ]
    forms = "%Y-%m-%d %d.%m.%Y %d/%m/%Y %m/%d/%Y %d-%b-%y %Y%m%d %Y-%m %m/%Y".split()
    forms += ["%d %B %Y", "%b %Y", "%B %d, %Y", "%d.%m.%Y 00:00:00"]
    table: dict[str, list[object]] = {
        f"by {form}": [d.strftime(form) for d in days] for form in forms
    }
    table["early"] = [f"{d.day % 12 + 1}/{d.month}/{d.year}" for d in days]
    table["seen"] = [d.strftime("%m/%d/%Y %I:%M %p") for d in days]
    table["year"] = [d.year for d in days]
    table["patient_nbr"] = [draw.randrange(10**7, 10**8) for _ in days]
    table["visit_type_id"] = [draw.randint(1, 8) for _ in days]
    table["mail"] = [f"p{draw.randrange(rows)}@clinic.example" for _ in days]
    table["call"] = [
        f"+49 {draw.randrange(100, 999)} {draw.randrange(10**6, 10**7)}" for _ in days
    ]
    table["token"] = [f"{draw.randrange(16**12):012x}" for _ in days]
    table["note"] = [f"seen on {d:%A} by nurse {draw.randrange(rows)} again" for d in days]
    table["age"] = [draw.choice([*range(1, 91), 999, "NA"]) for _ in days]
    table["grade"] = [draw.choice([1, 2, 3, 4, 5, -8, -9, "."]) for _ in days]
    table["dose"] = [draw.choice([f"{draw.randint(1, 40) / 4:.2f}", "-"]) for _ in days]
    table["ward"] = [draw.choice(["A1", "B2", "C3", "?"]) for _ in days]
    return table, " ".join(["d"] * 12 + "? t l o l o o o o w l n l".split())


def make_survey(draw: Random, rows: int) -> tuple[dict[str, list[object]], str]:
    """76 columns: questions alike with codes, and their background."""
    table: dict[str, list[object]] = {"respondent": list(range(10_001, 10_001 + rows))}
    for i in range(60):
        table[f"q{i + 1}"] = [
            draw.choice([1, 2, 3, 4, 5, -9, -8, 99][: 5 + i % 4]) for _ in range(rows)
        ]
    for i in range(10):
        table[f"use_{i}"] = [
            draw.choice(["never", "often", "NA", ""][: 2 + i % 3]) for _ in range(rows)
        ]
    table["income"] = [round(draw.lognormvariate(8, 0.5)) for _ in range(rows)]
    table["weight"] = [f"{draw.lognormvariate(0, 0.3):.4f}" for _ in range(rows)]
    table["region"] = [f"{draw.randint(1, 16):02d}" for _ in range(rows)]
    table["band"] = [draw.choice(["0-17", "18-29", "30-64", "65+"]) for _ in range(rows)]
    table["start"] = [f"2024-03-{draw.randint(1, 28):02d}" for _ in range(rows)]
    return table, " ".join(["o", *"l" * 70, "w", "n", "l", "l", "d"])
