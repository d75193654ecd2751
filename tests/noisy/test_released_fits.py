"""What a release's own noisy counts say of the rows that fit."""

import re
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from synth import limits
from synth.domain import Categorical, Domain, Integer, Outside
from synth.estimate import released_fits
from synth.estimate.noisy.released_fits import ReleasedFits
from synth.noise import DiscreteLaplace
from synth.plans import Method, Plan
from synth.privacy import Neighbors
from synth.spending import synthesize
from tests.fit_tables import write_dates

DAY = Integer(name="day", minimum=0, maximum=100, bins=10)
SEX = Categorical(name="sex", categories=("F", "M"))


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A table of 3,000 days and sexes; no day is a number from 0 to 100."""
    return write_dates(tmp_path_factory.mktemp("fits") / "t.csv", 3_000)


def fits_of_release(table: Path, day: Any = DAY, **options: Any) -> ReleasedFits:
    """What the noisy counts of a release for epsilon 1 say, with days declared as numbers."""
    plan = Plan(
        domain=Domain((day, SEX)), epsilon=Fraction(1), **{"method": Method.DENSE, **options}
    )
    return released_fits(synthesize(plan, table).record)


@pytest.mark.parametrize("method", [Method.DENSE, Method.INDEPENDENT])
@pytest.mark.parametrize("neighbors", list(Neighbors))
@pytest.mark.parametrize(
    "day",
    [
        DAY,
        replace(DAY, outside=Outside.CELL),
        replace(DAY, missing=True),
        replace(DAY, missing=True, outside=Outside.NEAREST),
    ],
    ids=["drop", "cell", "missing", "nearest"],
)
def test_no_row_fits_whatever_the_rule(
    table: Path,
    day: Any,
    neighbors: Neighbors,
    method: Method,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """If no row fits, a release's own counts show it under every rule for values outside.

    Days are dates, but declared as numbers. The noise is replaced by its most likely value,
    0; else one run in forty would say otherwise.
    """
    monkeypatch.setattr(DiscreteLaplace, "release", lambda _, values: values)

    fits = fits_of_release(table, day, neighbors=neighbors, method=method)
    assert fits.is_few

    if day.missing:
        assert fits.sentence.startswith("Column 'day' has few described values, or none.")


@pytest.mark.parametrize("method", [Method.DENSE, Method.INDEPENDENT])
def test_a_column_that_is_nearly_empty_is_named_and_is_no_misfit(
    tmp_path: Path, method: Method, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A column that is nearly empty is named, and the other columns are judged without it.

    Ten of 2,000 rows have a value. The noise is replaced by its most likely value, 0, but its
    bar is wide enough to hide ten values.
    """
    monkeypatch.setattr(DiscreteLaplace, "release", lambda _, values: values)
    table = tmp_path / "t.csv"
    rows = ["F,old,"] * 1_990 + ["M,young,7"] * 10
    table.write_text("\n".join(["sex,age,closed", *rows]))

    closed = Integer(name="closed", minimum=0, maximum=99, bins=5, missing=True)
    age = Categorical(name="age", categories=("old", "young"))
    plan = Plan(domain=Domain((SEX, age, closed)), epsilon=Fraction(1), method=method)

    fits = released_fits(synthesize(plan, table).record)

    assert not fits.is_noise
    assert "Column 'closed' has few described values, or none" in fits.sentence
    assert "In the other columns, about" in fits.sentence


def test_rows_that_fit_are_no_reason_to_ask(table: Path) -> None:
    """Where all 3,000 rows fit, the release does not say that few do, and tells
    the number.
    """
    fits = released_fits(
        synthesize(
            Plan(domain=Domain((SEX,)), epsilon=Fraction(1), method=Method.DENSE), table
        ).record
    )

    assert not fits.is_few
    assert (
        "of 3,000 rows fit the description (estimated from the release, ± " in fits.sentence
    )


def test_noise_that_hides_everything_says_nothing(table: Path) -> None:
    """At epsilon 1/10,000 the noise hides all 3,000 rows, so the release is called noise.

    It is not said that few rows fit, because the counts cannot show it.
    """
    fits = released_fits(
        synthesize(
            Plan(domain=Domain((DAY, SEX)), epsilon=Fraction(1, 10_000), method=Method.DENSE),
            table,
        ).record
    )

    assert (fits.is_few, fits.is_drowned, fits.is_noise) == (False, True, True)


@pytest.mark.parametrize(
    ("neighbors", "epsilon"),
    [("replace-one", Fraction(1, 20)), ("add-remove", Fraction(1, 2))],
)
def test_many_cells_are_noisy_together_and_are_no_noise(
    tmp_path: Path, neighbors: str, epsilon: Fraction
) -> None:
    """A release does not count as noise if single counts are accurate and only sums are not.

    The noise of 90 cells adds up, so the release cannot show how many rows fit.
    """
    table = tmp_path / "t.csv"
    table.write_text("n\n" + "\n".join(str(i % 90) for i in range(300)))

    numbers = Integer(name="n", minimum=0, maximum=89, bins=90)
    plan = Plan(
        domain=Domain((numbers,)),
        epsilon=epsilon,
        method=Method.DENSE,
        neighbors=Neighbors(neighbors),
    )

    fits = released_fits(synthesize(plan, table).record)

    assert (fits.is_few, fits.is_noise) == (False, False)
    assert fits.sentence == "Noise hides how many rows fit the description."


def test_a_universe_of_large_counts_only_cannot_tell(
    table: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A release that lists only large counts cannot tell how many rows fit, and says so.

    The limit of listed cells is lowered to 10, so that this small domain has too many.
    """
    monkeypatch.setattr(limits, "LISTED_CELLS", 10)

    fits = fits_of_release(table, method=Method.HISTOGRAM)

    assert (fits.is_few, fits.is_noise) == (False, False)
    assert fits.sentence.startswith("The release cannot show how many rows fit")


@pytest.mark.parametrize("method", [Method.DENSE, Method.INDEPENDENT])
def test_one_wrong_list_is_named_and_says_nothing_of_the_others(
    tmp_path: Path, method: Method, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A column with a wrong list is named; the others are judged without it.

    The towns x and y are not among the declared 0 and 1. In the other columns all 1,500 rows
    fit. The noise is replaced by 0.
    """
    monkeypatch.setattr(DiscreteLaplace, "release", lambda _, values: values)

    path = tmp_path / "t.csv"
    path.write_text("\n".join(["sex,age,town", *["F,old,x"] * 900, *["M,young,y"] * 600]))

    age = Categorical(name="age", categories=("old", "young"))
    wrong = Categorical(name="town", categories=("0", "1"), outside=Outside.CELL)
    plan = Plan(domain=Domain((SEX, age, wrong)), epsilon=Fraction(1), method=method)

    fits = released_fits(synthesize(plan, path).record)

    assert (fits.columns, fits.is_noise) == (("town",), False)
    assert "In the other columns, about 1,500 of 1,500 rows fit" in fits.sentence


def test_values_that_are_all_pulled_to_a_bound_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A column whose values are all at a bound or beyond is named, as its bounds may be
    wrong.

    Pays of 31,000 and 52,000 are beyond a maximum of 5,000, so both count as the last bin.
    With a maximum of 80,000 nothing is named. The noise is replaced by 0.
    """
    monkeypatch.setattr(DiscreteLaplace, "release", lambda _, values: values)

    path = tmp_path / "t.csv"
    path.write_text("\n".join(["pay,sex", *["52000,F"] * 700, *["31000,M"] * 800]))

    pay = Integer(name="pay", minimum=0, maximum=5_000, bins=5)
    plan = Plan(domain=Domain((pay, SEX)), epsilon=Fraction(1), method=Method.INDEPENDENT)

    fits = released_fits(synthesize(plan, path).record)

    assert (fits.columns, fits.is_noise) == (("pay",), False)
    assert "Column 'pay' has nearly all values at a bound or beyond." in fits.sentence
    assert "About 1,500 of 1,500 rows fit" in fits.sentence

    right = replace(pay, maximum=80_000)
    plan = replace(plan, domain=Domain((right, SEX)))
    assert released_fits(synthesize(plan, path).record).columns == ()


@pytest.mark.parametrize(
    ("rows_within", "epsilon", "named_columns"),
    [(210, Fraction(1, 7), ()), (0, Fraction(1, 2), ("pay",))],
)
def test_a_column_is_named_where_few_of_its_rows_are_surely_within(
    tmp_path: Path,
    rows_within: int,
    epsilon: Fraction,
    named_columns: tuple[str, ...],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A column is named only if surely few of its rows are between its bounds.

    A value at a bound may have been beyond it, so rows of 0 are not surely within, and those
    of 3000 are. 210 of 900 rows within are more than a fifth: the column is not named,
    although noise at epsilon 1/7 could hide them. With no row within it is named. The noise
    itself is replaced by 0.
    """
    monkeypatch.setattr(DiscreteLaplace, "release", lambda _, values: values)

    path = tmp_path / "t.csv"
    path.write_text(
        "\n".join(["pay,sex", *["0,F"] * (900 - rows_within), *["3000,M"] * rows_within])
    )

    pay = Integer(name="pay", minimum=0, maximum=5_000, bins=5)
    plan = Plan(domain=Domain((pay, SEX)), epsilon=epsilon, method=Method.INDEPENDENT)

    assert released_fits(synthesize(plan, path).record).columns == named_columns


def test_a_column_that_is_nearly_empty_has_no_values_at_its_bounds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A column that is nearly empty is named for that, and not for values at its bounds.

    Nine of 1,909 rows have a value. The noise is replaced by 0.
    """
    monkeypatch.setattr(DiscreteLaplace, "release", lambda _, values: values)

    path = tmp_path / "t.csv"
    path.write_text("\n".join(["pay,sex", *[",F"] * 1_900, *["3000,M"] * 9]))

    pay = Integer(
        name="pay", minimum=0, maximum=5_000, bins=5, missing=True, outside=Outside.NEAREST
    )
    plan = Plan(domain=Domain((pay, SEX)), epsilon=Fraction(1), method=Method.INDEPENDENT)

    fits = released_fits(synthesize(plan, path).record)

    assert fits.columns == ("pay",)
    assert "bound" not in fits.sentence


def test_the_number_that_is_said_lies_within_its_bar(tmp_path: Path) -> None:
    """The stated number of fitting rows plus its bar is below the true one in at most 5 % of
    releases.

    It is the lowest of the numbers of six columns, and all 2,000 rows fit. Of 200 draws of
    noise 10 are expected to miss; more than 28 have a probability below 1e-6.
    """
    path, names = tmp_path / "t.csv", tuple("abcdef")
    path.write_text("\n".join([",".join(names), *["0,1,0,1,0,1", "1,0,1,0,1,0"] * 1_000]))

    domain = Domain(tuple(Categorical(name=name, categories=("0", "1")) for name in names))
    released = synthesize(
        Plan(domain=domain, epsilon=Fraction(1), method=Method.INDEPENDENT), path
    ).record

    missed = 0
    for _ in range(200):
        measured = []
        for place, marginal in released.measured:
            *values, left_out = marginal.mechanism.release(np.array([1_000, 1_000, 0]))
            measured.append(
                (place, replace(marginal, values=np.array(values), left_out=left_out))
            )

        record = SimpleNamespace(
            domain=domain, rows=2_000, total=2_000, histogram=None, measured=measured
        )

        sentence = released_fits(record).sentence  # type: ignore[arg-type]
        estimate_and_bar = re.fullmatch(
            r"About ([\d,]+) of 2,000 rows fit .*± ([\d,]+)\)\.", sentence
        )
        assert estimate_and_bar is not None
        missed += (
            sum(int(number.replace(",", "")) for number in estimate_and_bar.groups()) < 2_000
        )

    assert missed <= 28
