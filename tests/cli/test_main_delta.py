"""A delta is named wherever the epsilon of a spend is: command line, notebook, report,
pages.
"""

import json
import zipfile
from fractions import Fraction
from pathlib import Path
from random import Random

import pandas as pd
import pytest

import synth
from pages.ui.frame.frame import summary
from pages.ui.shell.draft import Draft, start
from pages.ui.shell.release import Release, Source
from synth.domain import write_schema
from synth.lessons import survey_domain, write_example
from synth.plans import Method, Plan
from synth.private.table import open_table
from synth.spending import synthesize
from tests.cli.conftest import Line
from tests.linked.households import DOCUMENT, files_at_random

BOTH = "epsilon 1 and delta 1e-09"
MODEL = {"method": "independent", "delta": "1e-9"}
WORDS = ("--epsilon", "1", "--delta", "1e-9")


@pytest.fixture
def frame() -> pd.DataFrame:
    """A table of 200 people with two columns of two values."""
    return pd.DataFrame({"sex": ["f", "m"] * 100, "smoker": ["yes", "no"] * 100})


DOMAIN = synth.Domain(sex=["f", "m"], smoker=["yes", "no"])


def test_on_the_command_line(cli: Line, tmp_path: Path, frame: pd.DataFrame) -> None:
    """Commands that spend or forecast an epsilon with a delta print both, and the ledger
    shows both.

    Of a delta of 1e-6, 1e-9 is spent, so 9.99e-7 is left.
    """
    frame.to_csv(tmp_path / "t.csv", index=False)
    (tmp_path / "t.json").write_text(json.dumps(write_schema(DOMAIN)))
    ledger = ("--ledger", tmp_path / "l.db")
    book = (*ledger, "--dataset", "us", "--budget", "epsilon=3,delta=1e-6")
    table = (tmp_path / "t.csv", "--domain", tmp_path / "t.json", "--method", "independent")
    bundle = tmp_path / "b.zip"

    assert BOTH in cli.output("release", *table, *WORDS, "--out", bundle, *book)
    output = cli.output("ledger", "show", "--ledger", tmp_path / "l.db").splitlines()[0]
    assert "spent 1 and delta 1e-09, left 2 and delta 9.99e-07" in output
    forecast = ("forecast", "--domain", tmp_path / "t.json", "--rows", "200", *WORDS)
    assert BOTH in cli.output(*forecast)


def test_the_page_carries_the_delta(tmp_path: Path) -> None:
    """The page in a bundle carries the exact delta of a release."""
    table = write_example(tmp_path)[0]
    plan = Plan(
        domain=survey_domain(),
        epsilon=Fraction(1),
        method=Method.TREE,
        delta=Fraction(1, 10**5),
    )
    bundle = synthesize(plan, table).write_archive(tmp_path / "b.zip")
    with zipfile.ZipFile(bundle) as files:
        page = files.read("open.html").decode()
    assert '\\"delta\\": \\"1/100000\\"' in page


def test_a_notebook_shows_epsilon_and_delta(frame: pd.DataFrame) -> None:
    """What a notebook shows of a release, a forecast or a model has epsilon and delta.

    Fitting a model twice adds both up, in a warning.
    """
    assert BOTH in repr(synth.release(frame, DOMAIN, epsilon="1", **MODEL))
    assert BOTH in repr(synth.forecast(DOMAIN, "1", rows=200, **MODEL))

    model = synth.Synthesizer(DOMAIN, "1", **MODEL)
    assert repr(model) == f"Synthesizer({BOTH}, spent nothing)"
    model.fit(frame)
    twice = "epsilon 2 and delta 2e-09 in total"
    with pytest.warns(UserWarning, match=f"spent {BOTH} again: {twice}"):
        model.fit(frame)

    homes = files_at_random(Random(3), "ABCDEFGH").tables()
    assert BOTH in repr(synth.release_linked(homes, DOCUMENT, "1", delta="1e-9"))


def test_the_pages_show_epsilon_and_delta(tmp_path: Path) -> None:
    """The app's summary and the title of a release show epsilon and delta.

    The draft keeps the delta as it was typed, 1e-9; a release writes it as 1e-09.
    """
    table = Source(title="people.csv", table=open_table(write_example(tmp_path)[0]))
    domain = survey_domain().project(("sex", "smoker"))
    draft = start(table, Draft()).with_declaration(write_schema(domain))
    draft = draft.change(method=Method.INDEPENDENT, delta="1e-9", left_out=frozenset())
    plan = draft.plan()

    release = Release(source=table, plan=plan, result=synthesize(plan, table.table), files={})
    assert release.title == f"people.csv, {BOTH}"
    text = summary(draft.change(releases=(release,)))
    assert text == f"people.csv · 2 columns · epsilon 1 and delta 1e-9 · released with {BOTH}"
