"""After a release, its expected error means what the forecast means: a range of mean
errors.
"""

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom

import synth
from synth.cli.main import main
from synth.domain import Categorical, Domain, read_schema
from synth.estimate import Method, PublicSource
from synth.forecasts import outlook, outlook_of_release
from synth.lessons import write_example
from synth.plans import Plan
from synth.spending import synthesize
from tests.tables import SHARED

LETTERS = Domain(tuple(Categorical(name=n, categories=tuple("abcd")) for n in "uvwxyz"))
# Of so many releases at least this share is within its range, and more are below its end.
PROMISED = 0.8
FALSE_ALARM = 1e-6
SHARED_TABLES = {
    "sdnist_ma/ma2019.csv": "sdnist_ma/domain_6col.schema.json",
    "adult/adult_train.csv": "adult/domain_5col.schema.json",
    "titanic/titanic.csv": "titanic/domain.schema.json",
}


def least_kept_promises(releases: int) -> int:
    """The least number of kept promises that does not refute the promise."""
    return int(binom.ppf(FALSE_ALARM, releases, PROMISED))


@pytest.fixture(scope="module")
def letters() -> pd.DataFrame:
    """A table of 3,000 rows and six lists, all of which depend on a common one."""
    generator = np.random.default_rng(5)
    first = generator.integers(0, 4, 3_000)
    moved = {name: (first + generator.integers(0, 2, 3_000)) % 4 for name in LETTERS.names}
    return pd.DataFrame({name: np.array([*"abcd"])[code] for name, code in moved.items()})


@pytest.mark.parametrize("method", [m for m in Method if m != Method.GROUPS])
def test_a_release_says_what_was_forecast_for_its_method(
    letters: pd.DataFrame, method: Method
) -> None:
    """After a release its outlook is the forecast for the method that it used.

    `letters` is a table of 3,000 rows. If no pair stands out from the noise, a release falls
    back to another method than was foreseen.
    """
    plan = Plan(domain=LETTERS, epsilon=Fraction(1), method=method)
    record = synthesize(plan, letters).record
    forecast_of_release = outlook_of_release(plan, record)
    assert forecast_of_release is not None

    foreseen = outlook(plan, 3_000)
    if forecast_of_release.method == foreseen.method:
        assert forecast_of_release == foreseen
    else:  # no pair stood out from the noise
        assert forecast_of_release == outlook(
            replace(plan, method=Method(forecast_of_release.method)), 3_000
        )

    assert (
        forecast_of_release.pairs.low
        < forecast_of_release.pairs.likely
        < forecast_of_release.pairs.high
    )


def test_a_fallback_is_forecast_as_what_it_is(letters: pd.DataFrame) -> None:
    """After a release with hardly any epsilon, the outlook names the method that it fell back
    to.
    """
    plan = Plan(domain=LETTERS, epsilon=Fraction(1, 500), method=Method.ONE_SHOT, predict="u")
    record = synthesize(plan, letters).record
    forecast_of_release = outlook_of_release(plan, record)
    assert forecast_of_release is not None
    assert str(forecast_of_release.method) == record.strategy


def test_groups_and_a_private_number_of_rows_have_a_range(letters: pd.DataFrame) -> None:
    """A release by groups, with a private number of rows, has an expected range of
    its error.
    """
    released = synth.release(
        letters,
        LETTERS,
        epsilon=4,
        method="groups",
        neighbors="add-remove",
        groups=[["u", "v", "w"], ["x", "y"], ["z"]],
    )
    assert released.expected is not None
    assert 0 < released.expected.pairs.low < released.expected.pairs.high < 1


def test_after_a_public_guess_nothing_is_known(letters: pd.DataFrame) -> None:
    """A release around a public table has no expected error, which would depend on that
    table.
    """
    plan = Plan(domain=LETTERS, epsilon=Fraction(1), method=Method.ONE_SHOT)
    record = synthesize(plan, letters).record
    source = PublicSource(digest="f" * 64, vouched_by="us", columns=LETTERS.names, rows=3_000)
    assert outlook_of_release(replace(plan, public=source), record) is None


@pytest.mark.slow
def test_the_command_line_says_the_range_of_the_forecast(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """`synth release` prints the same expected error as `synth forecast` did for as many
    rows.

    As JSON it has the range of the error of pairs, and error bars by columns.
    """
    table, declared = write_example(tmp_path)[:2]
    words = ["--domain", str(declared), "--epsilon", "1"]
    assert main(["forecast", *words, "--rows", "20000"]) == 0
    foreseen = capsys.readouterr().out.splitlines()[0].partition("Expected error: ")[2]

    assert main(["release", str(table), *words, "--out", str(tmp_path / "out")]) == 0
    assert (
        capsys.readouterr().out.splitlines()[0].partition("Expected error: ")[2] == foreseen
    )

    command = ["release", str(table), *words, "--out", str(tmp_path / "again"), "--json"]
    assert main(command) == 0
    document = json.loads(capsys.readouterr().out)
    assert set(document["expected"]["pairs"]) == {"low", "likely", "high"}
    assert {"columns", "measured", "expected"} == set(document["error_bars"][0])


def count_kept_promises(table: Path, declared: Path, releases: int) -> int:
    """How many releases are off by no more, on average over pairs, than the end of their
    range.
    """
    domain, kept_so_far = read_schema(declared.read_bytes()), 0
    forecast = synth.forecast(domain, epsilon=1, rows=len(pd.read_csv(table, dtype=str)))
    for _ in range(releases):
        released = synth.release(table, domain, epsilon=1, anyway=True)
        assert released.expected is not None
        ends = released.expected.pairs
        assert ends.low < forecast.expected.pairs.high, "the ranges overlap"
        assert forecast.expected.pairs.low < ends.high, "the ranges overlap"
        kept_so_far += synth.compare(table, released).pairs <= ends.high
    return kept_so_far


@pytest.mark.slow
@pytest.mark.usefixtures("whole_fits")
def test_the_survey_is_off_by_no_more_than_its_release_says(tmp_path: Path) -> None:
    """A release of the survey is off by no more than the end of its range in 80 % of cases.

    20 releases must not refute that: `least_kept_promises` is the number below which only one
    in a million such series falls. `whole_fits` lets models take all their steps.
    """
    table, declared = write_example(tmp_path)[:2]
    assert count_kept_promises(table, declared, 20) >= least_kept_promises(20)


@pytest.mark.slow
@pytest.mark.usefixtures("whole_fits")
def test_shared_tables_are_off_by_no_more_than_their_releases_say() -> None:
    """A release of a shared table is off by no more than the end of its range in 80 % of
    cases.

    Four releases of each of three tables must not refute that: `least_kept_promises` is the
    number below which only one in a million such series falls. `whole_fits` lets models take
    all their steps.
    """
    if not SHARED.is_dir():
        pytest.skip("the shared tables are not here")
    kept_by_table = [
        count_kept_promises(SHARED / table, SHARED / schema, 4)
        for table, schema in SHARED_TABLES.items()
    ]
    assert sum(kept_by_table) >= least_kept_promises(4 * len(SHARED_TABLES))
