"""What a steward knows of real tables, and what a draft from their rows does wrong.

Half of the tables were kept aside while the rules were made: `KEPT_ASIDE`.
"""

import csv
import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from synth.domain import constraints, finish
from synth.private.counting import profile_table
from synth.private.counting.look import Look
from synth.private.table import open_table

FOLDER = Path(__file__).resolve().parents[3] / "shared" / "data"
MIN_ROWS = 10


@dataclass(frozen=True)
class RealTable:
    """A table: columns that tell people or rows apart, and columns that measure."""

    path: str
    identifiers: str = ""
    measures: str = ""
    header: bool = True


LOOKED_AT = (
    RealTable("adult/adult_train.csv", "", "age fnlwgt capital-gain hours-per-week"),
    RealTable(
        "birdstrikes/birdstrikes.csv", "", "Cost_Total_$ Speed_IAS_in_knots Flight_Date"
    ),
    RealTable("ebola_sl/ebola_sierraleone_2014_confirmed.csv", "ID", "Age"),
    RealTable("horse_colic/horse_colic.csv", "530101", "38.50 66"),
    RealTable("linked/lahman/players.csv", "playerID", "birthYear weight debut"),
    RealTable("linked/nafld/people.csv", "id", "age weight height bmi futime"),
    RealTable("pums/FultonPUMS5full.csv", "", "age income"),
    RealTable("pums/PUMS_pid.csv", "pid", "age income"),
    RealTable("pums/PUMS_null.csv", "pid", "age income"),
    RealTable("taxis/taxis.csv", "", "pickup dropoff distance fare tip total"),
)
KEPT_ASIDE = (
    RealTable("adult/adult_coded.csv", "", "age"),
    RealTable("bank_marketing/bank.csv", "", "Age balance Duration"),
    RealTable("german_credit/german_credit.csv", "", "duration amount age"),
    RealTable("linked/lahman/seasons.csv", "playerID", "yearID AB H"),
    RealTable("linked/nafld/events.csv", "id", "days"),
    RealTable("penguins/penguins.csv", "", "bill_length_mm body_mass_g"),
    RealTable("penguins/penguins_raw.csv", "Individual_ID", "Body_Mass_(g) Date_Egg"),
    RealTable("salaries_ai/salaries.csv", "", "salary salary_in_usd"),
    RealTable("sdnist_ma/ma2018.csv", "", "AGEP PINCP POVPIP"),
    RealTable("sdnist_ma/ma2019.csv", "", "AGEP PINCP POVPIP"),
    RealTable("teacher_survey/teacher_survey.csv", "", "age"),
    RealTable("titanic/titanic.csv", "PassengerId Name Ticket", "Age Fare"),
    RealTable("titanic/titanic_derived.csv", "", "age fare"),
)


def draft_of(table: RealTable) -> Look:
    """The draft from the rows."""
    return profile_table(open_table(FOLDER / table.path))


def find_faults(table: RealTable) -> Iterator[str]:
    """What is wrong with the draft: identifiers, extremes and codes; measures that are
    gone.
    """
    look = draft_of(table)
    with (FOLDER / table.path).open(encoding="utf-8-sig", newline="") as file:
        header, *rows = csv.reader(file)
    published = {
        column.name.replace(" ", "_"): column
        for column in look.columns
        if not column.left_out
    }
    drafted = {column.name.replace(" ", "_") for column in look.columns}
    for name in table.identifiers.split():
        assert name in drafted, name
        if name in published:
            yield f"{table.path}: identifier {name} is published"
    for name in table.measures.split():
        assert name in drafted, name
        if name not in published:
            yield f"{table.path}: measure {name} is left out"
    for column in published.values():
        index = [column.name for column in look.columns].index(column.name)
        cells = Counter(row[index].strip() for row in rows if len(row) == len(header))
        bounds = constraints(column.field)
        for text in bounds.get("enum", []):
            if cells[text] < MIN_ROWS and not _ends_in_a_number(column.name):
                yield f"{table.path}: {column.name} lists a value of {cells[text]} rows"
        yield from (
            f"{table.path}: {column.name} {fault}"
            for fault in _find_faults_of_numbers(column.field, cells)
            # A draft may cover numbers that no row has, if it says how many.
            if not (
                fault.startswith("invents") and column.loss.values > column.loss.occurring
            )
        )
    finish(
        look.schema()
        | {"fields": [column.field for column in published.values() if not column.is_open]}
    )


def _ends_in_a_number(name: str) -> bool:
    """Whether columns alike may share their lists."""
    return name[-1:].isdecimal()


def _find_faults_of_numbers(field: object, cells: Counter[str]) -> Iterator[str]:
    """Exact extremes that few rows have, and whole numbers of a cell each that no row has."""
    document = json.loads(json.dumps(field))
    if document.get("type") not in ("integer", "number"):
        return
    numbers: Counter[float] = Counter()
    for text, rows in cells.items():
        try:
            numbers[float(text)] += rows
        except ValueError:
            continue
    spikes = {float(code) for code in document.get("synth:spikes", [])}
    yield from (f"has the spike {spike}" for spike in spikes if numbers[spike] < MIN_ROWS)
    measured = [number for number in numbers if number not in spikes]
    ends = [float(document["constraints"][end]) for end in ("minimum", "maximum")]
    for end, extreme in zip(ends, (min(measured), max(measured)), strict=True):
        if end and end == extreme and numbers[extreme] < MIN_ROWS:
            yield f"shows the exact extreme {extreme}"
    if "synth:bins" in document:
        gaps = [
            number for number in range(int(ends[0]), int(ends[1]) + 1) if not numbers[number]
        ]
        if gaps:
            yield f"invents {gaps}"
