"""Bad input of models on the command line: one sentence, nothing spent, nothing written."""

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from synth.cli.main import main
from synth.domain import read_schema
from synth.door import Ledger
from synth.estimate import Rules, read_rules
from synth.estimate.models import rules as model_rules
from synth.plans import Method, Plan
from synth.spending import synthesize
from tests.tables import write

FIELDS = {
    "kin": ["head", "child"],
    "marital": ["never", "married", "widowed"],
    "wide": [str(i) for i in range(900)],
    "broad": [str(i) for i in range(900)],
}
# Rules under which no kin is possible.
EMPTY = {"impossible": [{"kin": ["head", "child"]}]}
# Rules that forbid heads, and that let children be never married only.
AGAINST = {
    "impossible": [{"kin": ["head"]}],
    "fixed": [{"given": "kin", "then": "marital", "values": {"child": ["never"]}}],
    "order": [],
}
# Rules that are possible one by one, and leave no row together.
CONTRADICTION = {
    "impossible": [
        {"kin": ["head"]},
        {"kin": ["child"], "marital": ["never"]},
        {"kin": ["child"], "marital": ["married", "widowed"]},
    ]
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a table of 2,000 rows, its domain of FIELDS, and three files of rules."""
    rows = [["head", "married", "1", "2"], ["child", "never", "3", "4"]] * 1_000
    write(tmp_path / "t.csv", list(FIELDS), rows)
    fields = [
        {"name": n, "type": "string", "constraints": {"enum": cells, "required": True}}
        for n, cells in FIELDS.items()
    ]
    (tmp_path / "d.json").write_text(json.dumps({"fields": fields}))
    for name, rules in {
        "empty": EMPTY,
        "contradiction": CONTRADICTION,
        "good": AGAINST,
    }.items():
        (tmp_path / f"{name}.json").write_text(json.dumps(rules))
    return tmp_path


def release(folder: Path, *options: str) -> int:
    """Run `synth release` on the table, with `@` for the folder, and return its exit code."""
    paths = ["--domain", str(folder / "d.json"), "--out", str(folder / "out")]
    book = [
        "--ledger",
        str(folder / "l.db"),
        "--dataset",
        "t",
        "--budget",
        "epsilon=9,delta=1e-2",
    ]
    options = tuple(option.replace("@", f"{folder}/") for option in options)
    return main(["release", str(folder / "t.csv"), *paths, *book, "--epsilon", "1", *options])


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (
            "groups --groups wide,broad --max-model-mb 1",
            "Coarsen 'wide' (900 cells), or allow mor",
        ),
        (
            "groups --groups kin,salary",
            "A group names the column 'salary', which the domain does",
        ),
        ("groups", "The method 'groups' needs groups"),
        (
            "adaptive --columns wide,broad --max-model-mb 1",
            "Even one pair needs 810,000 cells, and",
        ),
        ("auto --rules @empty.json", "The rules leave no cell of column 'kin'."),
        (
            "tree --rules @contradiction.json",
            "The rules contradict each other: no row is left that",
        ),
        ("tree --rules @none.json", "none.json' cannot be read: there is no such file."),
        ("tree --delta 0", "delta must be above 0; leave it out for pure epsilon."),
        ("tree --delta 1e-3", "delta must be above 0 and below 0.001"),
        (
            "tree --delta 5e-4",
            "below 1 / 2,000, one over the number of rows, but it is 0.0005",
        ),
        ("tree --delta nought", "delta must be a number such as"),
        (
            "tree --person wide --delta 1e-3",
            "a larger one would allow to publish somebody's rows.",
        ),
        ("tree --person who", "no column 'who'"),
        ("tree --max-rows 2", "max_rows above 1 needs a person column."),
        ("tree --max-model-mb 0", "must be a whole number from 1 to 1,000,000,000"),
        ("dense --delta 1e-9", "A histogram is pure: it needs no delta."),
        ("dense --groups kin,marital", "Rules and groups are for models of marginals"),
    ],
)
def test_bad_input_is_one_sentence_and_spends_nothing(
    folder: Path, capsys: pytest.CaptureFixture[str], words: str, sentence: str
) -> None:
    """Invalid options of a model end the command with exit code 2 and one sentence, and
    nothing is spent or written. The words are the method and further options; `@` stands for
    the folder.
    """
    assert release(folder, "--method", *words.split()) == 2

    message = capsys.readouterr().err
    assert sentence in message
    assert "Traceback" not in message

    assert not (folder / "out" / "synthetic.csv").exists()
    if (folder / "l.db").exists():
        assert not Ledger(folder / "l.db", readonly=True).entries()


@pytest.mark.parametrize("method", ["independent", "tree", "one-shot", "adaptive", "auto"])
def test_one_column_needs_no_pairs_and_says_so(
    folder: Path, capsys: pytest.CaptureFixture[str], method: str
) -> None:
    """A model of one column measures no pairs, and the output says so.

    Strategies that look for pairs say that none stood out; the others need not. With `auto`,
    rules make sure that a model is chosen.
    """
    (folder / "only.json").write_text(json.dumps({"impossible": []}))
    rules = ["--rules", f"{folder}/only.json"] if method == "auto" else []
    assert release(folder, "--method", method, "--columns", "kin", *rules, "-v") == 0
    output = capsys.readouterr().out

    sentence = "found no pair of columns that stood out from the noise"
    assert (sentence in output) == (method in ("tree", "one-shot", "adaptive"))
    assert "columns only" in output.lower()


def test_a_private_number_of_persons_is_not_told_by_a_refusal(folder: Path) -> None:
    """Whether a delta is accepted does not depend on the private number of persons. Where
    each row is a person, 2,000 rows are public, and a delta of 9e-4 is refused, as it is
    above 1 / 2,000. With several rows of a person, any delta below 1e-3 is accepted.

    Here ``wide`` names only two persons, whose noisy counts look like none; the release would
    stop at that check, but for ``--anyway``.
    """
    options = ["--method", "independent", "--delta", "9e-4"]
    assert release(folder, *options) == 2
    assert (
        release(folder, *options, "--person", "wide", "--columns", "kin,marital", "--anyway")
        == 0
    )


@pytest.mark.slow
def test_rules_that_leave_something_are_obeyed(folder: Path) -> None:
    """The rows of a release obey its rules, if these leave some combination of values.

    The rules exclude heads, half of the rows, and let children be never married only. So that
    is the one pair of values that can be drawn.
    """
    columns = ["--columns", "kin,marital"]
    assert release(folder, "--method", "tree", *columns, "--rules", "@good.json") == 0
    lines = (folder / "out" / "synthetic.csv").read_text().splitlines()[1:]
    assert {tuple(line.split(",")[:2]) for line in lines} == {("child", "never")}


def test_a_release_reads_its_rules_once(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rules are read when the choice is made, and not again by each step of the release."""
    calls = []

    def read_and_count(*arguments: Any) -> Rules:
        calls.append(arguments)
        return read_rules(*arguments)

    monkeypatch.setattr(model_rules, "read_rules", read_and_count)
    domain = read_schema(folder / "d.json").project(["kin", "marital"])
    plan = Plan(domain=domain, epsilon=Fraction(1), method=Method.TREE, rules=AGAINST)
    synthesize(plan, folder / "t.csv")

    assert len(calls) == 1
