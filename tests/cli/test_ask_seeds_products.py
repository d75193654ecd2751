"""Rows of the source notes about squares and X'X, asked of Adult: by commands, and in
Python.
"""

import json
import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest

from synth.cli.main import main
from synth.domain import Domain, read_schema
from synth.privacy import Guarantee, Neighbors
from synth.questions import Inquiry
from synth.util import Floats
from tests.conftest import Report
from tests.tables import SHARED

FOLDER = SHARED / "adult"
pytestmark = [
    pytest.mark.seed,
    pytest.mark.skipif(not FOLDER.is_dir(), reason="needs ../shared/data/adult"),
]

TABLE = FOLDER / "adult_train.csv"
SCHEMA = FOLDER / "domain.schema.json"
RHO = Fraction(1, 10)
HALF_NORMAL = math.sqrt(2 / math.pi)
"""E |Z| of a normal number, in standard deviations."""
REGRESSION = 'regression "hours-per-week" on age, "education-num"'
FALSE_ALARM = 4.9
"""Deviations that a normal number exceeds once in a million runs."""


@pytest.fixture(scope="module")
def domain() -> Domain:
    return read_schema(SCHEMA)


@pytest.fixture(scope="module")
def rows() -> pd.DataFrame:
    return pd.read_csv(TABLE, skipinitialspace=True)


@pytest.fixture(scope="module")
def ages(rows: pd.DataFrame) -> Floats:
    return np.clip(rows["age"].to_numpy(float), LOW, HIGH)


@pytest.fixture
def run_ask(capsys: pytest.CaptureFixture[str], rows: pd.DataFrame) -> Callable[..., Any]:
    """Ask one question of Adult with `synth ask --json`, and return its answer as read from
    stdout.
    """

    def answers(question: str, *words: object, forecast: bool = False) -> Any:
        place = ["--forecast", "--rows", len(rows)] if forecast else [TABLE, "--no-ledger"]
        arguments = [
            "ask",
            *place,
            "--domain",
            SCHEMA,
            "--json",
            "--question",
            question,
            *words,
        ]
        assert main([str(word) for word in arguments]) == 0, capsys.readouterr().err
        (answer,) = json.loads(capsys.readouterr().out)["answers"]
        return answer

    return answers


LOW = 16
HIGH = 100
HALF = (HIGH - LOW) / 2
"""b of the notes: ages lie in [-b, b] of their middle."""


def test_e2_on_the_command_line(
    run_ask: Callable[..., Any], ages: Floats, report: Report
) -> None:
    """Noise on every age has n times the variance, in the mean, of noise on the mean itself.

    Gaussian noise for rho has the variance sensitivity^2 / (2 rho). One age moves by the
    width 2 b of its range, and the mean by 2 b / n. An average error is that of a normal
    number, HALF_NORMAL standard deviations.
    """
    n = len(ages)
    error = run_ask("mean age", "--rho", RHO, "--way", "gaussian", forecast=True)[
        "expected_error"
    ]
    on_mean = (error / HALF_NORMAL) ** 2
    on_points = (2 * HALF) ** 2 / (2 * float(RHO)) / n
    assert on_points / on_mean == pytest.approx(n, rel=0.03)  # an odd range has a step more
    report(
        f"E2  Adult: noise on points / on the mean: note n = {n}, ours "
        f"{on_points / on_mean:.0f}"
    )


def test_e3_on_the_command_line(
    run_ask: Callable[..., Any], ages: Floats, report: Report
) -> None:
    """Noise on the sum of squares beside the sum has four times the variance of noise on it
    alone.

    A sum of squares alone has sensitivity b^2, hence variance b^4 / (2 rho). As one vector
    with the sum, both move by 2 b^2 in L2, hence the factor 4.
    """
    error = run_ask("variance age", "--rho", RHO, forecast=True)["expected_error"]
    ours = (error / HALF_NORMAL * len(ages)) ** 2  # at a mean of 0, as the forecast takes it
    variance_alone = HALF**4 / (2 * float(RHO))
    assert ours == pytest.approx(4 * variance_alone, rel=0.001)

    answer = run_ask("variance age", "--rho", RHO)
    # The mean age m is 19 years from the middle of the range. The noise of the sum then adds
    # 4 m^2 / b^2 = 0.85 of the variance, so twice the variance is enough.
    bound = FALSE_ALARM * math.sqrt(2 * 4 * variance_alone) / len(ages)
    assert abs(answer["value"] - ages.var()) <= bound
    report(
        f"E3  Adult: variance: note b^4/(2 rho) = {variance_alone:.4g}; "
        f"with the sum {ours:.4g}"
    )


def test_e4_on_the_command_line(
    run_ask: Callable[..., Any], rows: pd.DataFrame, report: Report
) -> None:
    """A regression on Adult at rho 0.1 has an answer, whose slopes are the true ones up to
    noise.

    A noisy X'X may lose an eigenvalue, and then there is no answer; here the rows are enough.
    """
    answer = run_ask(REGRESSION, "--rho", RHO)
    assert answer["labels"] == ["(intercept)", "age", "education-num"]
    lines = np.column_stack([np.ones(len(rows)), rows[["age", "education-num"]]])
    slopes = np.linalg.lstsq(lines, rows["hours-per-week"].to_numpy(float), rcond=None)[0]
    # An interval reaches 1.96 standard deviations to each side of its value.
    half = (np.array(answer["high"]) - answer["low"]) / 2
    assert (np.abs(answer["value"] - slopes) <= FALSE_ALARM / 1.96 * half).all()
    figures = ", ".join(
        f"{a:.3f} ({b:.3f})" for a, b in zip(answer["value"], slopes, strict=True)
    )
    report(f"E4  Adult: intercept and slopes (without noise): {figures}")


def test_e4_in_python(domain: Domain, ages: Floats, report: Report) -> None:
    """As one vector the mean has half the variance of the note, and the squares have twice as
    much.

    The note pays rho / 2 for each of the two sums: variances 4 b^2 / (n^2 rho) of the mean
    and b^4 / rho of the squares.
    """
    n = len(ages)
    rho = float(RHO)
    inquiry = Inquiry.read(["variance age"], domain, Guarantee.zcdp(RHO))
    (portion,) = inquiry.arrangement.portions
    noise, (sum_grain, squares_grain) = portion.way.mechanism, portion.way.grains
    assert noise is not None
    assert sum_grain.steps is not None
    assert squares_grain.steps is not None

    # The variance of the noise in steps, times the square of a step of either sum.
    on_mean = noise.variance * (sum_grain.steps.grid / sum_grain.weight / n) ** 2
    on_squares = noise.variance * squares_grain.steps.grid**4
    assert on_mean == pytest.approx(2 * HALF**2 / (n**2 * rho), rel=1e-3)
    assert on_squares == pytest.approx(2 * HALF**4 / rho, rel=1e-3)
    figures = f"{on_mean * n**2 * rho / HALF**2:.2f} and {on_squares * rho / HALF**4:.2f}"
    report(f"E4  Adult: variances of mean and squares by b: note 4 and 1, ours {figures}")


def test_m8_the_whole_vector_shares_one_noise(
    run_ask: Callable[..., Any], domain: Domain, report: Report
) -> None:
    """The sums of a regression get one noise for their common sensitivity, at exactly the
    claimed cost.

    That is sigma^2 = GS^2 / (2 rho) of the vector as a whole for zCDP, and a Laplace scale of
    GS / epsilon for pure privacy, where GS is its global sensitivity.
    """
    for neighbors in Neighbors:
        for claim in (Guarantee.zcdp(RHO), Guarantee.pure(1)):
            inquiry = Inquiry.read([REGRESSION], domain, claim, neighbors=neighbors)
            (portion,) = inquiry.arrangement.portions
            joint = portion.way.joint
            noise = portion.way.mechanism
            assert joint is not None
            assert noise is not None
            assert joint.exact  # the sensitivity is no mere bound
            assert noise.price(joint.sensitivity) == claim
    assert run_ask(REGRESSION, "--epsilon", 1, forecast=True)["way"] == "laplace"
    assert run_ask(REGRESSION, "--rho", RHO, forecast=True)["way"] == "gaussian"
    report(
        "M8  Adult: X'X as one vector costs what is claimed, exactly, under both relations"
    )
