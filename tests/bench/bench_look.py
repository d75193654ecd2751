"""Speed of a look at the rows, and how many columns it settles right.

    python -m tests.bench.bench_look [FOLDER]

Tables made here, then those of FOLDER (by default ../shared/data) that are there. The right kinds
were written down by hand from each table's description: w whole numbers, n numbers, l a list,
d dates, t dates with a time, o left out, ? asked. Three tables are kept apart: no rule was changed
after they were scored.
"""

import csv
import resource
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path
from random import Random

from synth.counting.look import Look, look
from synth.table.csv_options import parse_format
from synth.table.private_table import open_table

KINDS = {"string": "l", "integer": "w", "number": "n", "date": "d", "datetime": "t"}

RIGHT = {
    "bank_marketing/bank.csv": "w l l l l w l l l w l w w w w l l",
    "birdstrikes/birdstrikes.csv": "l l l d l l l l l l w w w w",
    "ebola_sl/ebola_sierraleone_2014_confirmed.csv": "o l/o n l d d l l",
    "german_credit/german_credit.csv": "l w l l w l l w l l w l w l l w l w l l w/l",
    "horse_colic/horse_colic.csv": "w/l w/l o n" + " w" * 11 + " n w w n n w n w w/l l l l w/l",
    "salaries_ai/salaries.csv": "w l l l w l w l w/l l l",
    "taxis/taxis.csv": "o o w n n n n n l l l l l l",
    "teacher_survey/teacher_survey.csv": "w w w w w w w w w w",
    "titanic/titanic.csv": "o w w o l n w w o n o l",
    "titanic/titanic_derived.csv": "w w l n w w n l l l l l l l l",
    "pums/PUMS.csv": "w w w w w w",
    "pums/PUMS_dup.csv": "w w w w w w o",
    "pums/FultonPUMS5full.csv": "w/l w/l w w w w w w w w w w w w w w w w/l",
    "penguins/penguins_raw.csv": "l w l l l l o l d n n w w l n n o/l",
    "sdnist_ma/ma2019.csv": "l w w w w w w w w w n/l w w w w w w w w w w w w w",
    "linked/lahman/players.csv": "o w l w w l l d",
}
APART = {
    "linked/lahman/seasons.csv": "o w w l w w w w w w w",
    "linked/nafld/people.csv": "o w w n w n w w",
    "adult/adult_train.csv": "w l w/o l w l l l l l w w w l l",
}
FORMATS = {"horse_colic/horse_colic.csv": ["header=0"]}


def processor() -> float:
    """Seconds of the processor so far."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def timed(path: Path, options: Iterable[str] = ()) -> tuple[Look, float]:
    """A look at a table, and what it took."""
    start = processor()
    found = look(open_table(path, parse_format(options)))
    return found, processor() - start


def kinds(found: Look) -> list[str]:
    """What each column was settled as."""
    said = []
    for field in found.fields:
        name = str(field["name"])
        open_or_kind = "?" if name in found.open else KINDS[str(field.get("type", "string"))]
        said.append("o" if name in found.left_out else open_or_kind)
    return said


def score(name: str, path: Path, right: str) -> tuple[int, int]:
    """Print how many columns are right, and which are not."""
    found, seconds = timed(path, FORMATS.get(name, ()))
    wanted = right.split()
    pairs = list(zip(found.fields, kinds(found), wanted, strict=True))
    wrong = [f"{f['name']} is {k}, not {w}" for f, k, w in pairs if k not in w.split("/")]
    settled = len(wanted) - len(wrong)
    print(f"  {settled:4} of {len(wanted):4}  {seconds:5.2f} s  {name}  {'; '.join(wrong)}")
    return settled, len(wanted)


def scores(title: str, tables: Iterable[tuple[str, Path, str]]) -> None:
    """Print the scores of several tables and their sum."""
    print(title)
    found = [score(name, path, right) for name, path, right in tables if path.exists()]
    if found:
        good, all_ = map(sum, zip(*found, strict=True))
        print(f"  {good} of {all_} columns settled right, {good / all_:.1%}")


def write(path: Path, columns: dict[str, list[object]]) -> Path:
    """A table as CSV."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))
    return path


def clinic(draw: Random, rows: int) -> tuple[dict[str, list[object]], str]:
    """Dates of every form, contacts, keys, codes and markers."""
    from datetime import datetime, timedelta

    days = [
        datetime(2014, 1, 1) + timedelta(minutes=draw.randrange(1_300_000)) for _ in range(rows)
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
    table["call"] = [f"+49 {draw.randrange(100, 999)} {draw.randrange(10**6, 10**7)}" for _ in days]
    table["token"] = [f"{draw.randrange(16**12):012x}" for _ in days]
    table["note"] = [f"seen on {d:%A} by nurse {draw.randrange(rows)} again" for d in days]
    table["age"] = [draw.choice([*range(1, 91), 999, "NA"]) for _ in days]
    table["grade"] = [draw.choice([1, 2, 3, 4, 5, -8, -9, "."]) for _ in days]
    table["dose"] = [draw.choice([f"{draw.randint(1, 40) / 4:.2f}", "-"]) for _ in days]
    table["ward"] = [draw.choice(["A1", "B2", "C3", "?"]) for _ in days]
    return table, " ".join(["d"] * 12 + "? o w o w o o o o w w n l".split())


def survey(draw: Random, rows: int) -> tuple[dict[str, list[object]], str]:
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
    return table, " ".join(["o", *"w" * 60, *"l" * 10, "w", "n", "l", "l", "d"])


def hospital(draw: Random, rows: int) -> tuple[dict[str, list[object]], str]:
    """47 columns such as those of hospitals' discharge records."""
    table: dict[str, list[object]] = {"encounter_id": draw.sample(range(12_522, 443_867_222), rows)}
    persons = [draw.randrange(135, 189_502_619) for _ in range(rows * 3 // 4)]
    table["patient_nbr"] = draw.choices(persons, k=rows)
    for name, values in (
        ("race", "ABCD?"),
        ("gender", "FM"),
        ("max_glu", ["None", ">200", "Norm"]),
    ):
        table[name] = draw.choices(list(values), k=rows)
    for i in range(23):
        table[f"drug {chr(97 + i)}"] = draw.choices(
            ["No", "Steady", "Up", "Down"], [90, 8, 1, 1], k=rows
        )
    table["age"] = draw.choices([f"[{a}-{a + 10})" for a in range(0, 100, 10)], k=rows)
    codes: list[object] = [*range(1, 700), *(f"V{i}" for i in range(30)), "?"]
    for i in range(3):
        table[f"diag_{i + 1}"] = draw.choices(
            codes, [1 / (k + 3) for k in range(len(codes))], k=rows
        )
    for name, most in (("admission_type_id", 8), ("discharge_id", 29), ("source_id", 26)):
        table[name] = [draw.randint(1, most) for _ in range(rows)]
    for i in range(10):
        table[f"number_{chr(97 + i)}"] = [int(draw.expovariate(0.1 / (i + 1))) for _ in range(rows)]
    table["admitted"] = [f"{draw.randint(1, 12)}/{draw.randint(1, 28)}/2008" for _ in range(rows)]
    table["readmitted"] = draw.choices(["NO", "<30", ">30"], k=rows)
    return table, " ".join("o o l l l".split() + ["l"] * 27 + ["w"] * 13 + ["d", "l"])


def speed(folder: Path) -> None:
    """Seconds and memory of large and of wide tables."""
    print("Speed, in seconds of the processor, and most memory so far")
    draw = Random(7)
    sizes = [("97,000 x 47", *hospital(draw, 97_000))]
    million = {
        f"c{i}": [draw.randrange(10 ** (1 + i % 7)) for _ in range(10**6)] for i in range(15)
    }
    sizes.append(("1,000,000 x 15", million, ""))
    wide: dict[str, list[object]] = {f"v{i}": ["a", "1", ""] for i in range(9_074)}
    sizes.append(("3 x 9,074", wide, ""))
    for name, table, right in sizes:
        path = write(folder / "speed.csv", table)
        table.clear()
        _, seconds = timed(path)
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
        print(f"  {name:>16}  {seconds:6.2f} s  {memory:,} MB (with the table made here)")
        if right:
            score(name, path, right)


def main(data: Path) -> None:
    """Scores, then speeds."""
    with tempfile.TemporaryDirectory() as made:
        folder, draw = Path(made), Random(1)
        some = {"clinic": clinic(draw, 3_000), "survey": survey(draw, 2_000)}
        tables = [(n, write(folder / f"{n}.csv", t), right) for n, (t, right) in some.items()]
        scores("Tables made here", tables)
        scores("Tables of others", ((name, data / name, right) for name, right in RIGHT.items()))
        scores("Kept apart", ((name, data / name, right) for name, right in APART.items()))
        speed(folder)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "../shared/data"))
