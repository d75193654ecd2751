"""A table in memory is the same as its file, to every verb: pandas, Polars and Arrow.

The noise is frozen, so that what is released is equal exactly where what is counted is.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars
import pyarrow as pa
import pytest

import synth
from synth.domain import read_schema
from synth.lessons import SURVEY_COLUMNS, write_example
from tests.tables import SHARED

ADULT = SHARED / "adult" / "adult_train.csv"
KINDS: dict[str, Callable[[Path], Any]] = {
    "pandas": pd.read_csv,
    "polars": polars.read_csv,
    "arrow": lambda csv: pa.Table.from_pandas(pd.read_csv(csv)),
}
QUESTIONS = {
    "survey": ["table sex", "mean age by sex", "count where age >= 40 and smoker = yes"],
    "adult": [
        "table sex",
        "mean age by sex",
        'count where "hours-per-week" >= 40 and sex = Male',
    ],
}


@pytest.fixture(
    scope="module", params=["survey", pytest.param("adult", marks=pytest.mark.slow)]
)
def table(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[str, Path, synth.Domain]:
    """The name of a table, its file and its domain."""
    if request.param == "survey":
        csv, declared = write_example(tmp_path_factory.mktemp("survey"))
        return "survey", csv, synth.Domain.from_schema(declared).project(SURVEY_COLUMNS)
    if not ADULT.exists():
        pytest.skip("The shared tables are not here.")
    declared = ADULT.with_name("domain.schema.json")
    columns = ("age", "sex", "income", "hours-per-week")
    return "adult", ADULT, read_schema(declared).project(columns)


def all_kinds(csv: Path) -> Iterator[tuple[str, Any]]:
    """The table as a file, which the others are compared with, and as each kind in memory."""
    yield "file", csv
    yield from ((kind, read_table(csv)) for kind, read_table in KINDS.items())


@pytest.mark.slow
def test_release_and_analyse_are_the_same_for_every_kind_of_table(
    table: tuple[str, Path, synth.Domain], still: Callable[[], None], tmp_path: Path
) -> None:
    """A table as file, pandas, Polars or Arrow gives the same release, and the same answers
    of it.

    The function `still` restarts the noise from one seed before each, so equal counts give
    equal results.
    """
    name, csv, domain = table
    method = {"survey": "dense", "adult": "independent"}[name]
    outputs = {}
    for kind, data in all_kinds(csv):
        still()
        release = synth.release(data, domain, epsilon=1, method=method)
        (sexes,) = synth.analyse(release.save(tmp_path / f"{kind}.zip")).ask("table sex")
        counts = [column.counts for column in release.result.record.columns()]
        outputs[kind] = [*counts, sexes.estimate, sexes.low, sexes.high]
    for kind in KINDS:
        assert all(map(np.array_equal, outputs[kind], outputs["file"])), kind


def test_answers_are_the_same_for_every_kind_of_table(
    table: tuple[str, Path, synth.Domain], still: Callable[[], None]
) -> None:
    """A table as file, pandas, Polars or Arrow gives the same answers to questions.

    The function `still` restarts the noise from one seed before each, so equal counts give
    equal answers.
    """
    name, csv, domain = table
    answers = {}
    for kind, data in all_kinds(csv):
        still()
        answers[kind] = synth.ask(data, domain, QUESTIONS[name], epsilon=1).table
    for kind in KINDS:
        assert answers[kind].equals(answers["file"]), kind


def test_comparisons_are_the_same_for_every_kind_of_table(
    table: tuple[str, Path, synth.Domain],
) -> None:
    """A table as file, pandas, Polars or Arrow has the same errors when compared with one
    release.
    """
    _, csv, domain = table
    release = synth.release(csv, domain, epsilon=1, method="independent")
    errors = {kind: synth.compare(data, release).table for kind, data in all_kinds(csv)}
    for kind in KINDS:
        assert errors[kind].equals(errors["file"]), kind
