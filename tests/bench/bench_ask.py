"""Errors of asked answers, each way beside the one that is taken: means of twenty runs.

    PYTHONPATH=. python tests/bench/bench_ask.py

Ten counts and a table of the survey, means of Adult (left out where ../shared is absent), at
epsilon 1 under replace-one. The error is the largest of an answer's numbers: of counts in rows,
of means as a part of the range of its column, in thousandths.
"""

import tempfile
from dataclasses import replace
from pathlib import Path
from time import perf_counter

import numpy as np
import pandas as pd

from synth.arrays import Floats
from synth.asking import ask
from synth.domain.domain import Domain
from synth.domain.table_schema import read_schema
from synth.lessons.survey import survey_domain, write_example
from synth.privacy.guarantee import Guarantee
from synth.questions.alternatives import alternatives
from synth.questions.inquiry import Inquiry

RUNS = 20
SHARED = Path(__file__).parents[3] / "shared" / "data" / "adult"
SEXES, AGES = ("female", "male"), (30, 40, 50, 60, 70)
COUNTS = [f"count where sex = {sex} and age >= {age}" for sex in SEXES for age in AGES]
ADULT = ("age", "education-num", "hours-per-week", "capital-gain", "capital-loss")
WIDEST = ("fnlwgt", "capital-gain", "capital-loss", "hours-per-week", "age")


def measure(
    what: str, inquiry: Inquiry, table: Path, truth: Floats, widths: Floats, unit: float = 1
) -> None:
    """Print the error that every way is expected to have, and the one it had."""
    for one in alternatives(inquiry, 20_000):
        asked = replace(inquiry, way=one.way)
        start, worst = perf_counter(), []
        for _ in range(RUNS):
            found = np.concatenate([answer.value for answer in ask(asked, table).answers])
            worst.append(float(np.max(np.abs(found - truth) / widths)) * unit)
        each = (perf_counter() - start) / RUNS
        star, mean = "*" if one.taken else " ", np.mean(worst)
        spread = np.std(worst) / np.sqrt(RUNS)
        name = one.way.value if one.way else "each its own"
        forecast = "" if one.largest is None else f"forecast {one.largest:7.2f}"
        print(f"{what:27} {star} {name:12} {mean:8.3f} +- {spread:6.3f}  {each:5.2f} s  {forecast}")


def counted(rows: pd.DataFrame) -> Floats:
    found = [
        ((rows["sex"] == sex) & (rows["age"].clip(18, 97) >= age)).sum()
        for sex in SEXES
        for age in AGES
    ]
    return np.array(found, dtype=float)


def survey(table: Path, domain: Domain) -> None:
    rows, one = pd.read_csv(table), Guarantee.pure(1)
    truth, unit = counted(rows), np.ones(1)
    measure("ten counts", Inquiry.of(COUNTS, domain, one), table, truth, unit)
    measure("one count", Inquiry.of(COUNTS[:1], domain, one), table, truth[:1], unit)
    cells = pd.crosstab(rows["sex"], rows["employment"])
    kinds = domain["employment"].labels
    expected = cells.loc[list(SEXES), list(kinds)].to_numpy(dtype=float).reshape(-1)
    asked = Inquiry.of(["table sex by employment"], domain, one)
    measure("table of two columns", asked, table, expected, unit)


def adult() -> None:
    table, domain = SHARED / "adult_train.csv", read_schema(SHARED / "domain.schema.json")
    rows = pd.read_csv(table, skipinitialspace=True)
    for what, names in (("3", ADULT[:3]), ("5", ADULT), ("the 5 widest", WIDEST)):
        bounds = [tuple(map(float, domain[name].bounds)) for name in names]  # type: ignore[attr-defined]
        pairs = zip(names, bounds, strict=True)
        truth = np.array([rows[name].clip(*ends).mean() for name, ends in pairs])
        widths = np.array([high - low for low, high in bounds])
        asked = ", ".join(f'"{name}"' for name in names)
        inquiry = Inquiry.of([f"means {asked}"], domain, Guarantee.pure(1))
        measure(f"means of {what} columns", inquiry, table, truth, widths, 1_000)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        table, _ = write_example(folder)
        survey(table, survey_domain())
    if SHARED.is_dir():
        adult()


if __name__ == "__main__":
    main()
