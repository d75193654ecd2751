"""`synth ask`: its contract, and one sentence with status 2 for every bad input."""

import json
from fractions import Fraction
from pathlib import Path

import pytest

from synth.cli.ask import at_least
from synth.cli.main import main
from synth.domain import Domain, Integer, write_schema
from synth.door import Ledger
from synth.estimate import WayName
from synth.plans.options import WAYS
from tests.cli.conftest import Files, Line
from tests.tables import write

COUNT = "count where age >= 20 and sex = F"


@pytest.fixture
def cli(cli: Line) -> Line:
    """A command line that begins with `synth ask`."""
    return cli.beginning_with("ask")


def test_json_is_what_it_promises(files: Files, tmp_path: Path, cli: Line) -> None:
    """The JSON output has the fields that the documentation lists, for each kind of answer.

    Under replace-one the number of rows, 220, is public, and known without noise.
    """
    questions_path = tmp_path / "more.json"
    questions_path.write_text('["table sex", {"kind": "mean", "columns": ["day"]}]')
    questions = ("--question", COUNT, "--question", "count", "--no-ledger")
    words = (files[0], "--domain", files[1], *questions)
    # 120 rows have a day: their noisy number, of scale 4, is too small for an answer once in
    # 10^12.
    report = cli.report(*words, "--questions", questions_path, "--epsilon", "1.5")
    assert set(report) == {"answers", "epsilon", "delta", "neighbors", "repeated", "ledger"}
    assert (report["epsilon"], report["delta"], report["neighbors"]) == (
        1.5,
        0,
        "replace-one",
    )
    assert (report["repeated"], report["ledger"]) == (False, None)

    count, rows, table, day = report["answers"]
    assert set(count) == {"question", "value", "low", "high", "expected_error", "way"}
    assert count["question"] == "count where age >= 20 and sex = F"
    assert count["low"] <= count["value"] <= count["high"]
    assert (rows["value"], rows["low"], rows["way"]) == (220, 220, "known")
    # F, M and the missing value.
    assert len(table["value"]) == len(table["low"]) == len(table["labels"]) == 3
    # The year has 366 days, so no error of a mean day is that large.
    assert "2024-01-01" <= day["low"] <= day["value"] <= day["high"] <= "2024-12-31"
    assert day["expected_error"] < 366


def test_rho_implies_an_epsilon(files: Files, cli: Line) -> None:
    """A spend in rho is also shown as the epsilon that it implies: 0.8102 for rho 0.01 at
    delta 1e-9.

    That is less than by the classic bound rho + 2 sqrt(rho ln(1 / delta)) = 0.920. The delta
    is 1e-9 unless somebody chooses another one.
    """
    words = (files[0], "--domain", files[1], "--question", "table sex by smoker")
    report = cli.report(*words, "--rho", "0.01", "--no-ledger")
    assert (report["rho"], report["epsilon"], report["delta"]) == (0.01, 0.8102, 1e-9)
    assert report["answers"][0]["way"] == "gaussian"
    text = cli.output(*words, "--rho", "0.01", "--budget", "rho=1,delta=1e-9")
    promise = (
        "Spent rho = 0.01 (zCDP), which implies epsilon = 0.8102 with delta = 1e-09, for one"
    )
    assert promise in text


def test_text_is_a_table_with_its_promise(files: Files, cli: Line) -> None:
    """Under add-remove the number of rows is noisy, under replace-one it is public and costs
    nothing.
    """
    words = (files[0], "--domain", files[1], "--question", "count", "--question", "table sex")
    status, text, progress = cli(*words, "--epsilon", "1", "--neighbors", "add-remove")
    lines = text.splitlines()
    assert status == 0
    assert lines[0].split() == ["Question", "Answer", "95", "%", "interval", "Way"]
    assert "221 ±" not in lines[1]
    assert lines[-1] == "Spent epsilon = 1, for one row (add-remove)."
    assert progress.startswith("Note: The budget of 'table' is now epsilon 3")

    # The first five words ask for the number of rows alone.
    status, text, _ = cli(*words[:5], "--epsilon", "1")
    assert text.splitlines()[1].split() == ["count", "220", "public", "known"]
    assert text.splitlines()[-1] == "All of it is public: nothing is spent."


def test_a_forecast_reads_no_table_and_spends_nothing(
    files: Files, tmp_path: Path, cli: Line
) -> None:
    """A forecast works without the table, and makes no ledger.

    One count at epsilon 0.1 has Laplace noise of scale 10, which is off by 10 rows on
    average.
    """
    files[0].unlink()
    book = tmp_path / "ledger.db"
    words = ("--domain", files[1], "--question", COUNT, "--epsilon", "0.1", "--forecast")
    for table in ((), (files[0],)):  # without a table, and with one that is not there
        report = cli.report(*table, *words, "--rows", "220", "--ledger", book)
        (answer,) = report["answers"]
        assert set(answer) == {"question", "expected_error", "way"}
        assert answer["expected_error"] == pytest.approx(10, rel=1e-2)
    assert not book.exists()
    _, text, _ = cli(*words, "--rows", "220")
    assert "± 10 rows" in text
    assert "Average error" in text
    assert "xpected error" not in text  # which means the columns or the pairs of a release
    assert "It would cost epsilon = 0.1, for one row (replace-one)." in text


def test_ways_say_what_each_would_cost_and_be_worth(files: Files, cli: Line) -> None:
    """--ways lists all ways to answer, the best first, with the largest error of each.

    One row can move ten nested counts all at once. Then K-norm noise for the L-infinity norm
    is the best of all ways: an error of 10 for ten counts at epsilon 1.
    """
    words = ["--domain", files[1], "--forecast", "--rows", "220", "--ways", "--epsilon", "1"]
    for start in range(10, 20):
        words += ["--question", f"count where age >= {start}"]
    report = cli.report(*words, "--delta", "1e-9")["ways"]
    assert [way["taken"] for way in report] == [True] + [False] * (len(report) - 1)
    assert report[0]["way"] == "l-infinity"
    assert {"laplace", "gaussian", "histogram"} <= {way["way"] for way in report}

    errors = [way["largest_error"] for way in report]
    assert errors == sorted(errors)
    assert errors[0] == pytest.approx(10, rel=0.02)
    _, text, _ = cli(*words)
    assert any(line.startswith("* l-infinity") for line in text.splitlines())


def test_an_error_is_solved_for(files: Files, cli: Line) -> None:
    """--error gives the least epsilon and rho at which no average error exceeds it.

    One count is off by 1 / epsilon on average, so an error of 20 needs epsilon 0.05. The
    public number of rows needs nothing, and no spend is enough for an error of 1e-9.
    """
    words = ("--domain", files[1], "--forecast", "--rows", "220", "--question", COUNT)
    report = cli.report(*words, "--error", "20")
    assert report["needed"] == {"epsilon": "0.05", "rho": "0.000796"}
    assert (report["epsilon"], report["answers"][0]["expected_error"] <= 20) == (0.05, True)
    _, text, _ = cli(*words, "--error", "20", "--way", "laplace")
    assert "epsilon = 0.05 is enough for errors of at most 20 in every answer." in text

    # Asked for with a delta, the epsilon is not named without it.
    _, text, _ = cli(*words, "--error", "20", "--delta", "1e-9")
    assert " with delta = 1e-09 or rho = " in text

    # The first five words are the domain and the number of rows.
    report = cli.report(*words[:5], "--question", "count", "--error", "20")
    assert report["needed"] == {"epsilon": 0, "rho": 0}
    refusal = cli.refusal(*words[:5], "--question", "mean age", "--error", "1e-9")
    assert refusal.startswith("No spend brings")
    choice_options = ("--error", "20", "--way", "choice")
    assert "The way 'choice' does not answer" in cli.refusal(*words, *choice_options)


def test_the_same_again_costs_nothing(files: Files, tmp_path: Path, cli: Line) -> None:
    """The same question again is answered from the ledger: the same number, and nothing is
    spent.

    Of a budget of 1, half is left both times.
    """
    words = [files[0], "--domain", files[1], "--question", COUNT, "--epsilon", "0.5"]
    words += ["--ledger", tmp_path / "l.db", "--dataset", "survey", "--budget", "1"]
    first = cli.report(*words)
    again = cli.report(*words)
    assert (first["repeated"], again["repeated"]) == (False, True)
    assert again["answers"] == first["answers"]
    assert again["ledger"]["left"] == first["ledger"]["left"] == "1/2"
    assert (first["ledger"]["spent_delta"], first["ledger"]["left_delta"]) == ("0", "0")
    assert "nothing was spent" in cli(*words)[1]


def test_answers_are_written_with_a_certificate(
    files: Files, tmp_path: Path, cli: Line
) -> None:
    """Answers are written to a folder and as a bundle, which is confirmed."""
    words = [files[0], "--domain", files[1], "--question", COUNT, "--epsilon", "0.5"]
    bundle = tmp_path / "b.zip"
    report = cli.report(*words, "--out", tmp_path / "out", "--out", bundle)
    assert {"certificate.json", "answers.json", "bundle"} <= set(report["files"])
    assert main(["verify", str(bundle)]) == 0


GOOD = {"--question": COUNT, "--epsilon": "1"}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"--question": "count where agee > 3"},
            "'agee' is not declared; did you mean 'age'?",
        ),
        ({"--question": None}, "There is no question. Add --question"),
        (
            {"--question": None, "--questions": "none.json"},
            "'none.json' cannot be read: there is no",
        ),
        ({"--way": "magic"}, "There is no way 'magic'; choose auto or one of laplace"),
        ({"--way": "known"}, "There is no way 'known'"),
        ({"--way": "l2"}, "The way 'l2' does not answer these questions"),
        ({"--epsilon": "0"}, "epsilon must be above 0"),
        ({"--epsilon": None}, "Set the spend: --epsilon E"),
        ({"--rho": "0.1"}, "--epsilon and --rho both set the spend"),
        ({"--epsilon": None, "--rho": "1", "--delta": "1e-9"}, "--rho has no delta"),
        ({"--delta": "2"}, "delta must be below 1"),
        ({"--epsilon": None, "--error": "3"}, "--error is for a forecast"),
        ({"--rows": "9"}, "--rows is for a forecast"),
        ({"--max-rows": "4"}, "max_rows above 1 needs a person column."),
        ({"--person": "pid"}, "The table has no column 'pid'"),
        ({"--budget": "none"}, "The budget"),
        ({"--out": "/proc/nowhere"}, "Nothing can be written to the folder"),
        ({"--question": "count where '\x1b[2J' = 1"}, "The question cannot be read"),
        ({"--question": 'mean "\x1b[2J\n\u202e"'}, "."),
    ],
)
def test_bad_input_is_one_sentence_and_spends_nothing(
    files: Files, tmp_path: Path, cli: Line, change: dict[str, str | None], message: str
) -> None:
    """Every wrong option is one printable sentence, and the ledger stays as it was."""
    book = tmp_path / "ledger.db"
    with Ledger(book) as ledger:
        before = ledger.head  # the hash of the last entry
    ledger_options = () if "--budget" in change else ("--ledger", book, "--dataset", "survey")
    arguments = [f"{k}={v}" for k, v in (GOOD | change).items() if v is not None]
    status, text, errors = cli(files[0], "--domain", files[1], *arguments, *ledger_options)

    sentence = errors.removesuffix("\n").split("\n")[-1]
    assert (status, text) == (2, "")
    assert message in sentence
    assert sentence.endswith((".", "?"))
    assert sentence.isprintable()
    with Ledger(book, readonly=True) as ledger:
        assert ledger.head == before


def test_more_than_the_budget_pays_is_refused(
    files: Files, tmp_path: Path, cli: Line
) -> None:
    """A question that costs 0.6 of a budget of 1 with 0.5 spent is refused, and nothing is
    spent.
    """
    book = tmp_path / "l.db"
    words = [files[0], "--domain", files[1], "--question", COUNT, "--ledger", book]
    words += ["--dataset", "survey"]
    cli.report(*words, "--epsilon", "0.5", "--budget", "1")
    assert "0.5" in cli.refusal(*words, "--epsilon", "0.6")
    with Ledger(book, readonly=True) as ledger:
        assert ledger.balance("survey").spent == Fraction("0.5")


def test_a_table_without_the_column(files: Files, tmp_path: Path, cli: Line) -> None:
    table = write(tmp_path / "other.csv", ["sex", "years"], [["F", "3"]])
    words = ("--domain", files[1], "--question", COUNT, "--epsilon", "1")
    assert "The table has no column 'age'" in cli.refusal(table, *words)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "A forecast reads no table: add --rows N"),
        (("--rows", "1e-3", "--epsilon", "1"), "--rows must be a whole number"),
        (("--rows", "9", "--error", "0"), "--error must be above 0"),
        (("--rows", "9", "--error", "x"), "--error must be a number"),
        (("--rows", "9"), "or --error T to see the spend you need."),
        (("--rows", "9", "--error", "1", "--epsilon", "1"), "--epsilon and --error both set"),
    ],
)
def test_a_wrong_forecast_is_one_sentence(
    files: Files, cli: Line, words: tuple[str, ...], message: str
) -> None:
    """A forecast without --rows or a spend, or with a wrong number, is refused in one
    sentence.
    """
    assert message in cli.refusal(
        "--domain", files[1], "--question", COUNT, "--forecast", *words
    )


def test_a_bare_number_asks_for_its_column(files: Files, tmp_path: Path, cli: Line) -> None:
    """A number without a column is refused with the columns that it may be about, and costs
    nothing.

    Age and length may both be above 65.
    """
    domain = tmp_path / "two.json"
    columns = [Integer(name=name, minimum=0, maximum=99) for name in ("age", "length")]
    domain.write_text(json.dumps(write_schema(Domain(tuple(columns)))))
    question = ("--question", "how many over 65", "--epsilon", "1")
    sentence = (
        "'over 65' names no column. Which one do you mean: age or length? For example: count "
        "where age > 65"
    )

    book = tmp_path / "l.db"
    asked = (files[0], "--domain", domain, *question, "--ledger", book, "--dataset", "people")
    assert cli.refusal(*asked) == sentence
    assert not book.exists()
    forecast = ("--domain", domain, *question, "--forecast", "--rows", "9")
    assert cli.refusal(*forecast) == sentence


def test_a_table_is_needed_to_ask(files: Files, cli: Line) -> None:
    refusal = cli.refusal("--domain", files[1], "--question", COUNT, "--epsilon", "1")
    assert refusal == "Name the TABLE, or add --forecast, which needs no table."


def test_numbers_for_json_are_never_below() -> None:
    """A fraction is rounded up to a float, so that JSON never claims less privacy loss than
    there is.
    """
    for exact in (Fraction(1, 3), Fraction(1, 5), Fraction(2, 3), Fraction(4)):
        shown_number = at_least(exact)
        assert Fraction(repr(shown_number)) >= exact
        assert float(shown_number) == pytest.approx(float(exact), rel=1e-15)


def test_deciles_are_read_off_a_tree_and_a_median_is_chosen(files: Files, cli: Line) -> None:
    """Nine quantiles share one tree of noisy counts; one median is better
    chosen by itself.
    """
    deciles = "quantiles .1, .2, .3, .4, .5, .6, .7, .8, .9 of age"
    words = ("--domain", files[1], "--epsilon", "1", "--question")
    report = cli.report(*words, deciles, "--forecast", "--rows", "220", "--ways")
    assert [offer["way"] for offer in report["ways"]] == ["hierarchy", "choice"]
    assert [offer["taken"] for offer in report["ways"]] == [True, False]
    assert report["ways"][0]["largest_error"] < report["ways"][1]["largest_error"] / 2

    # The deciles of the table come from the tree, in order and within their intervals.
    (answer,) = cli.report(files[0], "--no-ledger", *words, deciles)["answers"]
    assert answer["way"] == "hierarchy"
    assert answer["value"] == sorted(answer["value"])
    ends = zip(answer["low"], answer["value"], answer["high"], strict=True)
    assert all(low <= value <= high for low, value, high in ends)

    # A median is chosen unless another way is named, and deciles are chosen if asked for.
    for text, way in (
        ("median age", "choice"),
        ("median age", "hierarchy"),
        (deciles, "choice"),
    ):
        way_options = () if (text, way) == ("median age", "choice") else ("--way", way)
        paid = (files[0], "--no-ledger", *words, text, *way_options)
        (answer,) = cli.report(*paid)["answers"]
        assert answer["way"] == way


def test_every_way_can_be_chosen() -> None:
    assert WAYS == [way.value for way in WayName if way is not WayName.KNOWN]
