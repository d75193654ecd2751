"""What is wrong with what somebody new to the app publishes, by the table it was made of.

False alarms, silent losses, identifiers, exact extremes and codes invented in the files,
columns that no page names as left out, pairs of columns that keep their relation, and whether
the forecasts held.
"""

import csv
import json
import re
import zipfile
from collections import Counter
from contextlib import suppress
from pathlib import Path

from synth.bundle.declaration import MOSTLY_NOISE

KINDS = (
    "false alarm",
    "silent loss",
    "lost in silence",
    "identifier",
    "extreme",
    "codes invented",
)
"""What is counted of every table."""


def count_relations(bundle: Path, plan: str) -> str:
    """Return how many pairs were measured, of how many, and the most that Plan offered."""
    with zipfile.ZipFile(bundle) as archive:
        content = json.loads(archive.read("certificate.json"))["rows_fit"]
    measured = re.search(
        r"Relations (?:kept|measured): (?:(all|[\d,]+)(?: of)? (?:([\d,]+) )?pairs|the one)",
        content,
    )
    counts = [text for text in measured.groups() if text] if measured else []
    offered = [int(n.replace(",", "")) for n in re.findall(r"About ([\d,]+) of", plan)]
    return " of ".join(counts or ["-"]) + (f" (offered {max(offered)})" if offered else "")


FORECASTS = {
    "columns": r"as the forecast counts them, they are off by ([\d.]+) %",
    "pairs": r"Pairs of columns are off by ([\d.]+) %",
}
"""The sentence of Compare that tells what became of each forecast."""
SLACK = 1.1
"""Both sides are rounded to two digits."""


def judge_forecasts(plan: str, compared: str) -> str:
    """Return how the errors forecast on Plan came out on Compare, for columns and pairs."""
    outcomes = []
    for what, pattern in FORECASTS.items():
        forecast = re.search(rf"Expected error of {what}\n([\d.]+)(?: to ([\d.]+))? %", plan)
        error = re.search(pattern, compared)
        if forecast is None or error is None:
            outcomes.append("-")
            continue
        low, high = forecast[1], forecast[2] or forecast[1]
        word = "held"
        if float(error[1]) < float(low) / SLACK:
            word = "better"
        elif float(error[1]) > float(high) * SLACK:
            word = "missed"
        outcomes.append(f"{word}: {error[1]} of {low} to {high} %")
    return ", ".join(outcomes)


def judge_bundle(bundle: Path, path: Path, plan: str, page_text: str) -> list[str]:
    """What is wrong with what is published, by the table it was made of."""
    with zipfile.ZipFile(bundle) as archive:
        content = json.loads(archive.read("certificate.json"))["rows_fit"]
        declared = json.loads(archive.read("domain.json"))
        fields = declared["fields"]
        missing = {"", *declared.get("missingValues", ())}
        rows = list(csv.reader(archive.read("synthetic.csv").decode().splitlines()))
    drawn_values = {name: {*values} for name, *values in zip(*rows, strict=True)}
    faults = ["false alarm: mostly noise"] * content.startswith(MOSTLY_NOISE)
    lost = "Relations kept: 0 of"
    ahead = "Weaker relations may be lost|This table would show no relation"
    warned = {*re.findall(f"{lost}|{ahead}", plan)}
    faults += ["silent loss: relations"] * (
        lost in content and not (warned and lost in page_text)
    )
    real = raw_values(path)
    declared_names = {column["name"] for column in fields}
    silent = [n for n in real if n not in declared_names and n not in page_text]
    if silent and not re.search(r"and \d+ (more|other)", page_text):
        faults.append(f"lost in silence: {', '.join(silent)}")
    for column in fields:
        name = column["name"]
        values = real.get(name, [])
        counts = Counter(values)
        limits = column.get("constraints", {})
        listed_values = limits.get("enum", [])
        empty = sum(counts[marker] for marker in missing) / len(values) if values else 1
        if is_named(name, content) and empty < MOSTLY:
            faults.append(f"false alarm: {name}")
        wide = len({*map(len, filter(None, values))}) == 1 and column["type"] == "integer"
        if len(counts) > 0.9 * len(values) and (listed_values or wide):
            faults.append(f"identifier: {name}")
        for end in ("minimum", "maximum"):
            if 0 < counts.get(str(limits.get(end)), 0) < FEW and is_extreme(
                counts, limits[end]
            ):
                faults.append(f"extreme: {name} {end}")
        codes = {
            text for text in drawn_values.get(name, ()) if text and not text.startswith("(")
        }
        undeclared = codes - {*counts} - {f"'{c}" for c in counts}
        if 0 < len(counts) <= CODES and undeclared and not is_count(counts, codes):
            faults.append(f"codes invented: {name} ({len(undeclared)})")
    return faults


def is_count(counts: Counter[str], drawn: set[str]) -> bool:
    """Whether values are counts from 0 on, mostly 0, of which more than half occur.

    A count that no row happens to have is no invented code.
    """
    most_common, _ = counts.most_common(1)[0]
    numbers = {text for text in drawn if text.isdecimal()}
    return most_common == "0" and numbers == drawn and 2 * len(counts) > max(map(int, drawn))


def is_named(name: str, page_text: str) -> bool:
    """Whether a certificate names a column as one with few values or none."""
    return any(
        "few described values" in sentence and f"'{name}'" in sentence
        for sentence in page_text.split(". ")
    )


FEW = 10
CODES = 15
MOSTLY = 0.8
"""Rows of a rare value; values of a list of codes; the share that is missing of an empty
column.
"""


def is_extreme(counts: Counter[str], bound: object) -> bool:
    """Whether a bound is the least or greatest number that there is."""
    numbers = []
    for text in counts:
        with suppress(ValueError):
            numbers.append(float(text))
    return bool(numbers) and float(str(bound)) in (min(numbers), max(numbers))


def raw_values(path: Path) -> dict[str, list[str]]:
    """The values of a table's columns, as they stand there."""
    content = path.read_bytes()
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = content.decode("cp1252")
    first = text.partition("\n")[0]
    delimiter = max(",;\t|", key=first.count)
    head, *rows = csv.reader(text.splitlines(), delimiter=delimiter)
    complete_rows = [row for row in rows if len(row) == len(head)]
    columns = zip(*complete_rows, strict=True)
    return {
        name.strip(): [value.strip() for value in v]
        for name, v in zip(head, columns, strict=True)
    }
