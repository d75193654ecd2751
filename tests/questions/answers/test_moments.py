"""Answers of products: those of numpy where there is hardly any noise, and careful where it
is.
"""

from fractions import Fraction
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

from synth.analysis import ReleaseView, from_release
from synth.analysis.linear import PRODUCTS
from synth.domain import Domain
from synth.domain.building import Integer, Number
from synth.privacy import Guarantee, Neighbors
from synth.private.comparison import real_answers
from synth.private.table import open_table
from synth.questions import Answer, Inquiry, parse
from synth.spending import ask
from synth.util import Floats
from tests.tables import write

DOMAIN = Domain(
    sex=["F", "M", "X"],
    age=Integer(17, 90),
    hours=Integer(1, 99, missing=True),
    pay=Number(0, 10, outside="nearest"),
    missing_values=("",),
)
MOST = Guarantee.pure(100)


def simulate_table(number: int = 4_000) -> tuple[list[list[str]], Floats]:
    """Rows as texts, and their numbers; every tenth lacks its hours."""
    random = np.random.default_rng(3)
    age = random.integers(17, 91, number)
    hours = np.clip(np.round(20 + 0.3 * age + random.normal(0, 10, number)), 1, 99).astype(
        int
    )
    pay = np.round(np.clip(0.05 * hours + random.normal(3, 1, number), 0, 10), 3)
    is_missing = np.arange(number) % 10 == 0
    rows = [
        [random.choice(["F", "M"]), str(a), "" if g else str(h), str(p)]
        for a, h, p, g in zip(age, hours, pay, is_missing, strict=True)
    ]
    return rows, np.stack([age, np.where(is_missing, np.nan, hours), pay], axis=1).astype(
        float
    )


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[list[str]], Floats]:
    """A file of 4,000 simulated rows, the rows as texts, and their ages, hours and pay."""
    rows, numbers = simulate_table()
    path = write(tmp_path_factory.mktemp("products") / "t.csv", list(DOMAIN.names), rows)
    return path, rows, numbers


def ask_table(path: Path, text: str, guarantee: Guarantee = MOST, **options: Any) -> Answer:
    """The answer to one question about a file, by default with hardly any noise (epsilon
    100).
    """
    (answer,) = ask(Inquiry.read([text], DOMAIN, guarantee, **options), path).answers
    return answer


@pytest.mark.parametrize("neighbors", list(Neighbors))
def test_with_hardly_any_noise_answers_are_those_of_numpy(
    table: tuple[Path, list[list[str]], Floats], neighbors: Neighbors
) -> None:
    """At epsilon 100 variances, covariances and slopes are those that NumPy computes.

    The fixture holds the file, its rows as texts, and their ages, hours (NaN if missing) and
    pay. Rows without hours are left out of what is about hours. No row has the sex X, so that
    its group has no answer.
    """
    path, rows, numbers = table
    sex = np.array([row[0] for row in rows])
    complete = numbers[~np.isnan(numbers[:, 1])]
    design = np.column_stack([np.ones(len(complete)), complete[:, [0, 2]]])
    slopes = np.linalg.lstsq(design, complete[:, 1], rcond=None)[0]
    expected = {
        "variance age": [numbers[:, 0].var()],
        "variance pay": [numbers[:, 2].var()],
        "variance age where age >= 40": [numbers[numbers[:, 0] >= 40, 0].var()],
        "covariance age, hours": [np.cov(complete[:, 0], complete[:, 1], bias=True)[0, 1]],
        "regression hours on age, pay": slopes.tolist(),
    }

    for text, expected_values in expected.items():
        answer = ask_table(path, text, neighbors=neighbors)
        half = (answer.high - answer.low) / 2
        # This fails by chance less than once in 10^6 runs.
        assert (np.abs(answer.value - expected_values) <= 5 * half).all()
        # The intervals are narrow enough to be of use.
        assert (half <= 0.05 * np.abs(expected_values)).all()

    groups = ask_table(path, "variance age by sex", neighbors=neighbors)
    assert groups.labels == ("F", "M", "X")
    for name, value in zip("FM", groups.value, strict=False):
        assert value == pytest.approx(numbers[sex == name, 0].var(), rel=0.02)
    assert np.isnan(groups.value[2])
    assert groups.remarks == ("no answer if the noise could hide half of the rows",)


def test_directions_come_with_a_bound_on_their_angle(
    table: tuple[Path, list[list[str]], Floats],
) -> None:
    """Principal components are those of NumPy, each with a bound on the angle of its
    direction.

    Each of the two components has four numbers: its variance, a coordinate for each column,
    and the bound. With much noise, at epsilon 1/1000, no direction is given.
    """
    path, _, numbers = table
    # From the middle of each range, in halves of it: 17 to 90, and 0 to 10.
    scaled = (numbers[:, [0, 2]] - [53.5, 5]) / [36.5, 5]
    # `eigh` sorts variances in ascending order, so they are reversed below.
    values, vectors = np.linalg.eigh(np.cov(scaled.T, bias=True))

    answer = ask_table(path, "components age, pay")
    numbers_of_components = answer.value.reshape(2, 4)

    assert answer.labels[:4] == (
        "1: variance",
        "1: age",
        "1: pay",
        "1: angle at most, in degrees",
    )

    for component, value, vector in zip(
        numbers_of_components, values[::-1], vectors.T[::-1], strict=True
    ):
        assert component[0] == pytest.approx(value, rel=0.02)
        degrees = np.degrees(np.arccos(min(1.0, abs(float(component[1:3] @ vector)))))
        assert degrees < 5
        assert 0 < component[3] < 10

    hidden = ask_table(path, "components age, pay", Guarantee.pure(Fraction(1, 1000)))
    assert np.isnan(hidden.value.reshape(2, 4)[:, 1:]).all()
    assert "no direction where the noise could turn it into another one" in hidden.remarks


def test_columns_that_may_depend_on_each_other_are_answered_with_a_warning(
    tmp_path: Path,
) -> None:
    """Where two regressors may be equal, slopes are given without intervals, and with a
    warning.

    Age and hours are equal in all 3,000 rows. In JSON a missing end is null.
    """
    rows = [["F", str(20 + i % 50), str(20 + i % 50), "5"] for i in range(3_000)]
    path = write(tmp_path / "t.csv", list(DOMAIN.names), rows)
    inquiry = Inquiry.read(["regression pay on age, hours"], DOMAIN, Guarantee.pure(1))
    # The exact answers, so that no noise makes the two equal columns differ.
    (answer,) = real_answers(ask(inquiry, path), open_table(path))

    assert np.isfinite(answer.value).all()
    assert np.isnan(answer.low).all()
    assert any(
        "could hide that the columns depend on each other" in remark
        for remark in answer.remarks
    )
    assert answer.to_json()["low"] == [None, None, None]


def test_a_forecast_says_what_it_takes_for_granted() -> None:
    """Forecasts of products say that they take the values for spread evenly over their
    ranges.
    """
    for text in ("variance age", "regression hours on age", "components age, pay"):
        (forecast,) = Inquiry.read([text], DOMAIN, Guarantee.pure(1)).forecast(10_000)
        assert forecast.expected_error > 0
        assert any("spread evenly" in remark for remark in forecast.remarks)


def test_unreadable_rows_count_as_the_middle(tmp_path: Path) -> None:
    """A cell that cannot be read counts as the middle of its range, here 53.5 of 17 to 90.

    Half of the 1,000 ages are 90, the others unreadable.
    """
    rows = [["F", "90", "", "5"]] * 500 + [["F", "abc", "", "5"]] * 500
    path = write(tmp_path / "t.csv", list(DOMAIN.names), rows)

    true = np.var([90.0] * 500 + [53.5] * 500)
    answer = ask_table(path, "variance age")

    assert answer.value[0] == pytest.approx(true, rel=0.05)


def test_no_release_is_offered_for_products() -> None:
    """A variance is not answered from a release: it has no value, and a remark says why."""
    question = parse("variance age")
    no_release = cast("ReleaseView", None)  # it is not looked at
    (answer,) = from_release([question], no_release)
    assert np.isnan(answer.value).all()
    assert answer.remarks == (PRODUCTS,)
