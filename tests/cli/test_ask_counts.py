"""Ten two-column counts of the survey at epsilon 1, and one: how far off they are."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from synth.cli.main import main
from synth.lessons import survey_domain, write_example
from synth.noise import KNorm
from synth.privacy import Guarantee
from synth.questions import Inquiry, Portion
from synth.util import Floats

DRAWS = 4_000
SEXES = ("female", "male")
AGES = (30, 40, 50, 60, 70)
COUNTS = [f"count where sex = {sex} and age >= {age}" for sex in SEXES for age in AGES]


@pytest.mark.parametrize(("question_count", "max_mean_error"), [(10, 12), (1, 2)])
def test_the_largest_error(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    question_count: int,
    max_mean_error: float,
) -> None:
    """Ten counts at epsilon 1 are off by at most 12 rows on average, one count by at most 2.

    The largest of ten errors is meant. With Laplace noise on each count it would be 10 (1 +
    1/2 + ... + 1/10), or about 29, on average.

    First one run of the command is compared with the true counts, then the noise itself is
    drawn 4,000 times.
    """
    table, schema = write_example(tmp_path)
    words = [word for text in COUNTS[:question_count] for word in ("--question", text)]
    arguments = [
        "ask",
        str(table),
        "--domain",
        str(schema),
        *words,
        "--epsilon",
        "1",
        "--json",
    ]
    assert main(arguments) == 0
    answers = json.loads(capsys.readouterr().out)["answers"]
    noisy_counts = np.array([answer["value"] for answer in answers])
    rows = pd.read_csv(table)
    exact_counts = [
        ((rows["sex"] == sex) & (rows["age"] >= age)).sum() for sex in SEXES for age in AGES
    ]
    truth = np.array(exact_counts, dtype=float)[:question_count]
    # Ten by K-norm noise are beyond 45, one is beyond 14, once in a million runs.
    assert np.abs(noisy_counts - truth).max() <= (45 if question_count > 1 else 14)

    inquiry = Inquiry.read(COUNTS[:question_count], survey_domain(), Guarantee.pure(1))
    (portion,) = inquiry.arrangement.portions
    largest = np.abs(draw_noise(portion)).max(axis=1)
    spread = 4.9 * largest.std() / np.sqrt(DRAWS)  # exceeded once in a million runs
    assert largest.mean() + spread <= max_mean_error
    assert largest.mean() <= portion.way.score + spread  # the forecast of the same error


def draw_noise(portion: Portion) -> Floats:
    """The noise of many answers, shape (draws, counts).

    It is K-norm noise on all counts, or noise on cells that is summed into the counts.
    """
    mechanism = portion.way.mechanism
    cells = portion.way.cells
    assert mechanism is not None
    if isinstance(mechanism, KNorm):
        return mechanism.draw(DRAWS).astype(float)
    size = portion.block.size if cells is None else cells.tally.size
    noise = mechanism.draw(DRAWS * size).reshape(DRAWS, size).astype(float)
    if cells is None:
        return noise
    return np.stack([noise[:, member].sum(axis=1) for member in cells.members], axis=1)
