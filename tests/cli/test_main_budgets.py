"""Tiny and huge budgets: each spend answers, or says in words what is wrong with its
epsilon.
"""

import json
import re
from pathlib import Path
from random import Random
from tempfile import mkdtemp

import pyarrow.csv as pa_csv
import pytest

from synth.door import Ledger
from tests.cli.conftest import Line
from tests.linked.households import DOCUMENT, files_at_random

ROWS = 60
BUDGET = "epsilon=1e12,delta=0.9"
# The limits of epsilon and of rho, and numbers beyond them.
WITHIN = ("1/10000", "100")
BEYOND = ("1e-9", "1e6", "1e9")
RHOS_WITHIN = ("5e-9", "5000")
RHOS_BEYOND = ("1e-12", "1e9")
DELTAS = ("1e-99", "1e-9", "9e-4", "1e-3", "0.5", "2")
MOMENTS = ("auto", "none", "means", "pairs", "age*pay", "age,pay*sex")
METHODS = (
    "auto",
    "dense",
    "histogram",
    "one-shot",
    "adaptive",
    "tree",
    "independent",
    "groups",
)
QUESTIONS = (
    "count where age < 30",
    "share where sex = f",
    "table sex by age",
    "total pay by sex",
    "mean pay by sex",
    "means age, pay, size",
    "top 2 age with counts",
    "variance pay by sex",
    "covariance age, pay",
    "regression pay on age",
    "components age, pay",
    "median size with interval",
    "quantiles 0.1, 0.9 of pay",
    "best of [age < 30; age > 60] by count",
)
PERSON = ("--person", "pid", "--max-rows")

DAYS = {"minimum": "2020-01-01", "maximum": "2024-12-31"}
FIELDS = [
    {"name": "age", "type": "integer", "constraints": {"minimum": 0, "maximum": 99}},
    {"name": "pay", "type": "number", "constraints": {"minimum": 0, "maximum": 9999}},
    {"name": "day", "type": "date", "constraints": DAYS},
    {"name": "size", "type": "integer", "constraints": {"minimum": 0, "maximum": 10_000}},
    {"name": "sex", "type": "string", "categories": ["f", "m"]},
]


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A table of five columns with its declaration, and a package of a few homes."""
    lines = [
        f"{i % 20},{i % 90},{i * 101 % 9999},202{i % 5}-0{1 + i % 9}-1{i % 9},{i * 7},{'fm'[i % 2]}"  # noqa: E501
        for i in range(ROWS)
    ]
    (tmp_path / "t.csv").write_text("\n".join(["pid,age,pay,day,size,sex", *lines, ""]))
    (tmp_path / "t.json").write_text(json.dumps({"fields": FIELDS}))
    for name, table in files_at_random(Random(3), "ABCDEFGH").tables().items():
        pa_csv.write_csv(table, tmp_path / f"{name}.csv")
    (tmp_path / "datapackage.json").write_text(json.dumps(DOCUMENT))
    return tmp_path


def try_spend(cli: Line, place: Path, *words: object) -> bool:
    """Run a spend in a folder of its own, and return whether it answered.

    A refusal is one sentence about the budget, in words, and spends nothing.
    """
    folder = Path(mkdtemp(dir=place))
    book = folder / "l.db"
    budget = "rho=1e12,delta=1e-9" if "--rho" in words else BUDGET
    out_name = "out.json" if words[0] in ("check", "domain") else "out"
    ledger_words = (
        "--out",
        folder / out_name,
        "--ledger",
        book,
        "--dataset",
        "us",
        "--budget",
        budget,
    )
    status, out, err = cli(*words, *ledger_words)
    assert "Traceback" not in err
    assert status in (0, 2), err
    if status == 0:
        return True
    sentence = err.splitlines()[-1]
    assert out == ""
    assert re.search("epsilon|rho|delta|budget", sentence), sentence
    assert not re.search(r"\b(scale|sigma2|sensitivity2?|cost) must be", sentence), sentence
    if book.exists():
        with Ledger(book, readonly=True) as ledger:
            assert not ledger.entries(), sentence
    return False


def release_words(place: Path, *options: object) -> list[object]:
    """The words of a release of the table of five columns."""
    return ["release", place / "t.csv", "--domain", place / "t.json", *options]


@pytest.mark.parametrize(
    "epsilon", [WITHIN[0], pytest.param(WITHIN[1], marks=pytest.mark.slow), *BEYOND]
)
@pytest.mark.parametrize("method", METHODS)
def test_a_release_of_each_method(cli: Line, place: Path, method: str, epsilon: str) -> None:
    """Each method releases at the least and the largest allowed epsilon, and refuses any
    beyond.
    """
    groups = ("--groups", "age,sex;pay,sex") if method == "groups" else ()
    # A dense histogram is for few cells, so it gets two of the columns.
    coarse = ("--columns", "age,sex") if method == "dense" else ()
    words = release_words(place, "--epsilon", epsilon, "--method", method, *groups, *coarse)
    assert try_spend(cli, place, *words) == (epsilon in WITHIN)


@pytest.mark.parametrize("moments", MOMENTS)
@pytest.mark.parametrize("method", ["one-shot", "histogram"])
@pytest.mark.first_case
def test_sums_of_numbers_at_a_tiny_epsilon(
    cli: Line, place: Path, method: str, moments: str
) -> None:
    """At the least epsilon a release can still take every kind of sums of numbers."""
    words = release_words(
        place, "--epsilon", "1/10000", "--method", method, "--moments", moments
    )
    assert try_spend(cli, place, *words)


@pytest.mark.slow
@pytest.mark.parametrize("largest_allowed", ["1000000", "1000000000"])
@pytest.mark.parametrize("delta", [(), ("--delta", "1e-9")])
@pytest.mark.parametrize("method", ["histogram", "one-shot", "tree", "auto"])
def test_persons_with_very_many_rows(
    cli: Line, place: Path, method: str, delta: tuple[str, ...], largest_allowed: str
) -> None:
    """Persons with up to a million or a billion rows are released, or refused in words.

    Their rows may need more noise than is drawn. The sentence then names the budget, and
    nothing is spent, which `try_spend` checks.
    """
    delta_options = () if method == "histogram" else delta
    for moments in ("auto", "means", "pairs"):
        words = release_words(
            place, "--epsilon", "1/10000", "--method", method, "--moments", moments
        )
        try_spend(cli, place, *words, *PERSON, largest_allowed, *delta_options)


AMOUNTS = [
    *(("--epsilon", amount) for amount in WITHIN),
    *(("--rho", amount) for amount in RHOS_WITHIN),
]
STRANGE = [
    *(("--epsilon", amount) for amount in BEYOND),
    *(("--rho", amount) for amount in RHOS_BEYOND),
]


@pytest.mark.slow
@pytest.mark.parametrize("amount", AMOUNTS, ids=" ".join)
@pytest.mark.parametrize("question", QUESTIONS)
def test_an_answer_to_each_kind_of_question(
    cli: Line, place: Path, question: str, amount: tuple[str, str]
) -> None:
    """Each kind of question is answered at the limits of epsilon and of rho.

    With a billion rows a person it may be refused, but only in words, as `try_spend` checks.
    """
    words = [
        "ask",
        place / "t.csv",
        "--domain",
        place / "t.json",
        "--question",
        question,
        *amount,
    ]
    assert try_spend(cli, place, *words)
    try_spend(cli, place, *words, *PERSON, "1000000000")


@pytest.mark.parametrize("amount", STRANGE, ids=" ".join)
def test_no_answer_beyond_the_limits(cli: Line, place: Path, amount: tuple[str, str]) -> None:
    words = ["ask", place / "t.csv", "--domain", place / "t.json", "--question", QUESTIONS[0]]
    assert not try_spend(cli, place, *words, *amount)


@pytest.mark.slow
@pytest.mark.parametrize("delta", DELTAS)
@pytest.mark.parametrize("epsilon", ["1/10000", "100"])
def test_a_delta_is_taken_or_refused_as_declared(
    cli: Line, place: Path, epsilon: str, delta: str
) -> None:
    """Whatever the delta, from 1e-99 to 2, each command answers or refuses it in words.

    Whether it answers depends on the command; `try_spend` checks the sentence of a refusal
    and that it spends nothing.
    """
    both = ("--epsilon", epsilon, "--delta", delta)
    table = (place / "t.csv", "--domain", place / "t.json")
    try_spend(cli, place, "release", *table, *both, "--method", "one-shot")
    try_spend(cli, place, "ask", *table, *both, "--question", "count where age < 30")
    try_spend(cli, place, "domain", "draft", place / "t.csv", *both)
    try_spend(cli, place, "release", place / "datapackage.json", *both)


@pytest.mark.parametrize("epsilon", [*WITHIN, *BEYOND])
@pytest.mark.slow
def test_a_check_a_draft_a_score_and_linked_tables(
    cli: Line, place: Path, epsilon: str
) -> None:
    """All other spends answer at the limits of epsilon, and are refused in words
    beyond them.
    """
    table = (place / "t.csv", "--domain", place / "t.json")
    many_rows_per_person = ("--person", "pid", "--max-rows", "1000000000")
    in_range = epsilon in WITHIN
    score = ("--epsilon", "1", "--score", epsilon, "--columns", "age,sex")
    spends: list[tuple[object, ...]] = [
        ("check", *table, "--epsilon", epsilon),
        ("check", *table, "--epsilon", epsilon, *many_rows_per_person),
        ("domain", "draft", place / "t.csv", "--epsilon", epsilon),
        ("release", place / "datapackage.json", "--epsilon", epsilon),
        ("release", *table, *score),
    ]
    for words in spends:
        assert try_spend(cli, place, *words) == in_range, words
