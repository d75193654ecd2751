"""Ten two-column counts of the survey at epsilon 1, and one: how far off they are."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from synth.cli.main import main
from synth.lessons.survey import survey_domain, write_example
from synth.privacy.guarantee import Guarantee
from synth.questions.inquiry import Inquiry
from tests.bench.bench_ask import COUNTS, counted

DRAWS = 4_000


@pytest.mark.parametrize(("asked", "most"), [(10, 12), (1, 2)])
def test_the_largest_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], asked: int, most: float
) -> None:
    """Of ten counts at most 12 rows, of one at most 2; 27 with Laplace noise on each of ten."""
    table, schema = write_example(tmp_path)
    words = [word for text in COUNTS[:asked] for word in ("--question", text)]
    given = ["ask", str(table), "--domain", str(schema), *words, "--epsilon", "1", "--json"]
    assert main(given) == 0
    answers = json.loads(capsys.readouterr().out)["answers"]
    found = np.array([answer["value"] for answer in answers])
    truth = counted(pd.read_csv(table))[:asked]
    # Of K-norm noise the norm is Gamma(d + 1) at most; beyond 45 and 14 once in a million runs.
    assert np.abs(found - truth).max() <= (45 if asked > 1 else 14)

    inquiry = Inquiry.of(COUNTS[:asked], survey_domain(), Guarantee.pure(1))
    (portion,) = inquiry.arrangement.portions
    mechanism = portion.way.mechanism
    assert mechanism is not None
    noise = mechanism.draw(DRAWS).reshape(DRAWS, asked)
    largest = np.abs(noise).max(axis=1)
    spread = 4.9 * largest.std() / np.sqrt(DRAWS)
    assert largest.mean() + spread <= most
    assert abs(largest.mean() - portion.way.score) <= spread
