"""Results that took long are committed and dated, and continuous integration runs less of
each.
"""

import re
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from tests.evidence import run
from tests.evidence.run import AWAITED, EXPERIMENTS, RESULTS, ROOT, Experiment

PAGES = sorted(path for path in RESULTS.glob("*.md") if path.name != "README.md")
EACH = pytest.mark.parametrize(
    "experiment", EXPERIMENTS, ids=lambda experiment: experiment.name
)


@EACH
def test_every_experiment_has_a_reduced_form(experiment: Experiment) -> None:
    """Continuous integration runs a smaller form of each long experiment, by a target of
    make, and the experiment's own files exist.

    Files of an experiment that has no result yet may be missing.
    """
    target, words = experiment.reduced
    called = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert f"make {target}\n" in called
    assert len(words) > 10
    files = [ROOT / word for word in experiment.command if word.startswith("tests/")]
    assert files
    assert all(file.exists() for file in files) or experiment.name in AWAITED


def test_experiments_have_results_unless_these_are_awaited() -> None:
    """Every experiment has a committed result, but for those on the list `AWAITED`."""
    missing = tuple(
        experiment.name
        for experiment in EXPERIMENTS
        if run.newest_result(experiment.name) is None
    )
    assert missing == AWAITED


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_result_is_dated_and_says_what_it_is_about_but_not_where(page: Path) -> None:
    """A committed result has its date and experiment in its name and title, names commit,
    time and packages, and names no folder of the machine it was made on.
    """
    made_on, name = re.fullmatch(r"(\d{4}-\d\d-\d\d)-([a-z]+)\.md", page.name).groups()
    text = page.read_text(encoding="utf-8")
    assert date.fromisoformat(made_on) <= datetime.now(UTC).date()
    assert text.startswith(f"# {name}, {made_on}\n")
    assert name in {experiment.name for experiment in EXPERIMENTS}
    assert run.read_fact(page, "Result") == "passed"
    assert re.fullmatch(r"[0-9a-f]{7,40}(, with changes)?", run.read_fact(page, "Commit"))
    assert float(run.read_fact(page, "Minutes")) > 0
    assert "numpy" in run.read_fact(page, "Packages")
    assert not re.search(r"(?<!\w)/(home|root|tmp|work|Users|builds)\b", text)


def test_the_index_is_that_of_the_results() -> None:
    assert (RESULTS / "README.md").read_text(encoding="utf-8") == run.readme_of_results()


def test_an_outcome_becomes_a_page() -> None:
    """The page that a run writes has what the pages above are read for."""
    outcome = run.Outcome("0123abc", passed=True, minutes=1.25, lines=["walked", "done"])
    page = run.result_as_markdown(EXPERIMENTS[0], "2026-11-30", outcome)
    assert page.startswith(f"# {EXPERIMENTS[0].name}, 2026-11-30\n")
    assert "| Result | passed |\n| Commit | 0123abc |\n| Minutes | 1.2 |\n" in page
    assert page.endswith("```text\nwalked\ndone\n```\n")


def test_places_are_taken_out_of_an_output() -> None:
    """The output of an experiment is kept without the folders of the machine."""
    line = f"File {ROOT}/tests/t.py, line 3, in {Path.home()}/x\n"
    assert str(ROOT) not in run.scrub_line(line)
    assert run.scrub_line(f"{ROOT}/tests/t.py\n") == "./tests/t.py"


def test_an_unknown_experiment_is_refused_before_anything_runs(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """An unknown name of an experiment ends with the status 2 and a list of the known
    ones.
    """
    assert run.main(["nothing"]) == 2
    assert "There is no experiment 'nothing'; there are: attacks" in capsys.readouterr().out
