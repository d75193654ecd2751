"""``synth collect``: a form, a plan, answers read, and everything that is refused."""

from pathlib import Path

import pytest

from synth.collecting import FormDesign, read_design
from tests.cli.conftest import Line
from tests.collecting.forms import answer_line

QUESTIONS = ["--question", "Do you smoke?", "--question", "How often? [never | often]"]


@pytest.fixture
def form(tmp_path: Path, cli: Line) -> Path:
    """The path of a form with two questions of two options each, at epsilon 2 in all."""
    path = tmp_path / "form.html"
    cli.output("collect", "form", *QUESTIONS, "--epsilon", "2", "--out", path)
    return path


def read_form_design(form: Path) -> FormDesign:
    return read_design(form.read_bytes(), form.name)


def write_answers(form: Path, people: int = 400) -> Path:
    """A file of answers: every second person says the second option of the first question.

    Every fifth person says the second option of the other question.
    """
    path = form.parent / "answers.jsonl"
    places = [(i % 2, int(i % 5 == 0)) for i in range(people)]
    path.write_text(
        "\n".join(answer_line(read_form_design(form), p, n) for n, p in enumerate(places))
    )
    return path


def test_a_form_of_a_file_of_questions(tmp_path: Path, cli: Line) -> None:
    """The ending of the name says what is written: the page, or the design alone.

    Both hold the same form, whose certified loss is just below epsilon 1/3.
    """
    questions = tmp_path / "questions.txt"
    questions.write_text("Do you smoke?\nHow often? [never | often]\n")
    out = tmp_path / "form.html"
    design_path = tmp_path / "design.json"
    options = ["--questions", str(questions), "--epsilon", "1/3", "--title", "Health"]
    report = cli.report("collect", "form", *options, "--out", str(out))
    design_report = cli.report("collect", "form", *options, "--out", str(design_path))
    assert (
        report["form"]
        == read_form_design(out).identifier
        == read_form_design(design_path).identifier
    )
    assert read_form_design(out).title == "Health"
    assert report["epsilon"] == "1/3"
    assert 0.333 < float(report["certified_loss"]) <= 1 / 3
    assert "local model" in report["neighbors"]
    assert report["files"] == [str(out)]
    assert design_report == {**report, "files": [str(design_path)]}


def test_answers_are_read_with_shares_table_and_rows(form: Path, cli: Line) -> None:
    """`collect read` gives shares with intervals, a joint table, and synthetic rows of it.

    Of 400 collected answers 200 say yes. Randomised response with half of the answers yes has
    the debiased share 1/2.
    """
    out = form.parent / "synthetic.csv"
    options = ["--form", str(form), "--table", "2,1", "--out", str(out), "--rows", "50"]
    report = cli.report("collect", "read", str(write_answers(form)), *options)
    assert report["people"] == 400
    yes = report["questions"][0]["shares"][0]
    assert (yes["option"], yes["count"]) == ("yes", 200)
    assert yes["share"] == pytest.approx(0.5)
    assert yes["interval"][0] < 0.5 < yes["interval"][1]
    assert report["joint"]["questions"] == ["How often?", "Do you smoke?"]
    assert sum(report["joint"]["repaired"]) == pytest.approx(1)
    assert report["synthetic"] == {"file": str(out), "rows": 50, "joint": True}
    lines = out.read_text().splitlines()
    assert lines[0] == "Do you smoke?,How often?"
    assert len(lines) == 51

    output = cli.output("collect", "read", str(write_answers(form)), *options, "--overwrite")
    assert "400 people answered." in output
    assert "yes  50 % (" in output
    assert "Joint table, repaired (debiased, standard error):" in output
    assert "50 made-up people. Synth draws rows from the joint table" in output


def test_a_synthetic_table_runs_nothing_in_a_spreadsheet(tmp_path: Path, cli: Line) -> None:
    """A cell that a spreadsheet would run as a formula is written with an apostrophe before
    it.

    Here the question and both of its options begin with such a character.
    """
    path = tmp_path / "form.html"
    out = tmp_path / "synthetic.csv"
    arguments = ["--question", "=1+1 [=2 | @x]", "--epsilon", "9", "--out", str(path)]
    cli.report("collect", "form", *arguments)
    collected = tmp_path / "a.jsonl"
    collected.write_text(answer_line(read_form_design(path), [0]))
    cli.report("collect", "read", str(collected), "--form", str(path), "--out", str(out))
    assert all(line.startswith("'") for line in out.read_text().splitlines())


def test_what_so_many_people_tell(form: Path, cli: Line) -> None:
    """`collect plan` says how far the intervals of a number of people reach.

    Each of two questions has epsilon 1. Randomised response then keeps an answer with p = e /
    (1 + e) = 0.731. A normal interval of 1,000 people reaches 1.96 sqrt(1/4 / 1,000) / (2 p -
    1) = 6.7 percentage points, and that of Clopper and Pearson slightly more.
    """
    report = cli.report("collect", "plan", "--form", str(form), "--people", "1000")
    assert report["reach"] == pytest.approx([0.067, 0.067], abs=0.003)
    assert "Do you smoke?: ± 6.8 percentage points" in cli.output(
        "collect", "plan", "--form", str(form), "--people", "1000"
    )


def test_what_is_refused_in_one_sentence(form: Path, cli: Line) -> None:
    """No wrong command line writes a file or prints more than one line on stderr.

    The table gives each command line of `collect` with a part of its refusal.
    """
    path = str(form)
    collected = str(write_answers(form))
    out = ["--out", str(form.parent / "new.html")]
    sentences = {
        ("form", "--epsilon", "1", *out): "There is no question.",
        (
            "form",
            *QUESTIONS,
            *out,
        ): "Set the epsilon of one person over all questions: --epsilon",
        ("form", *QUESTIONS, *QUESTIONS, "--epsilon", "1", *out): "is asked twice.",
        ("form", *QUESTIONS, "--epsilon", "0", *out): "epsilon must be above 0, but it is 0.",
        ("form", *QUESTIONS, "--epsilon", "1", "--out", path): "holds another form, whose",
        ("plan", "--form", path): "Give either --error T or --people N.",
        ("plan", "--form", path, "--epsilon", "1", "--people", "3"): "leave out the others.",
        ("plan", "--form", path, "--error", "2"): "error must be a share above 0 and below 1",
        ("plan", "--form", path, "--people", "0"): "--people must be a whole number from 1",
        ("read", collected, "--form", collected): "is neither a form nor the design of one.",
        (
            "read",
            collected,
            "--form",
            "nowhere.html",
        ): "'nowhere.html' cannot be read: there is no",
        (
            "read",
            collected,
            "--form",
            path,
            "--table",
            "3",
        ): "--table must be a whole number from",
        (
            "read",
            collected,
            "--form",
            path,
            "--table",
            "1,1",
        ): "--table names a question twice.",
        (
            "read",
            collected,
            "--form",
            path,
            "--rows",
            "3",
        ): "--rows goes with --out FILE.csv.",
        ("read", collected, collected, "--form", path): "line 1, has the person of",
        ("read", path, "--form", path): "more are amiss).",
    }
    before = form.read_bytes()
    for arguments, says in sentences.items():
        status, _, errors = cli("collect", *arguments)
        assert (status, errors.count("\n")) == (2, 1), arguments
        assert says in errors, arguments
    assert form.read_bytes() == before
    assert not (form.parent / "new.html").exists()


def test_the_same_form_may_be_written_again(form: Path, cli: Line) -> None:
    """The same command writes the same bytes, so it needs no --overwrite for its own form."""
    before = form.read_bytes()
    cli.report("collect", "form", *QUESTIONS, "--epsilon", "2", "--out", str(form))
    assert form.read_bytes() == before
