"""`ask --release`: free answers, alone and beside paid ones, and one sentence for bad
input.
"""

import json
from fractions import Fraction
from pathlib import Path

import pytest

from synth.cli.free import NOTHING
from synth.domain import write_schema
from synth.plans import Method, Plan
from synth.spending import synthesize
from tests.cli.conftest import Line
from tests.tables import MIXED, ROWS, write

NAMES = ["sex", "age"]
COUNT = "count where sex = F"
ALL = "table sex"


Files = tuple[Path, Path, Path]


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Files:
    """A table, its declaration, and the bundle of a release of it at epsilon 5."""
    folder = tmp_path_factory.mktemp("free")
    domain = MIXED.project(NAMES)
    table = write(folder / "table.csv", list(MIXED.names), ROWS * 20)
    declared = folder / "domain.json"
    declared.write_text(json.dumps(write_schema(domain)))
    result = synthesize(Plan(domain=domain, epsilon=Fraction(5), method=Method.DENSE), table)
    return table, declared, result.write_archive(folder / "bundle.zip")


@pytest.fixture
def cli(cli: Line) -> Line:
    """A command line that begins with `synth ask`."""
    return cli.beginning_with("ask")


def test_a_release_answers_without_a_table(
    files: Files, cli: Line, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With --way release the bundle of a release answers at no cost, and no table is opened.

    Every function that could open a table raises here. The first cell of `table sex` is F, so
    it equals the count of F.
    """

    def refuse(*_: object, **__: object) -> None:
        message = "a free answer opened the table"
        raise AssertionError(message)

    # The module that imports the others comes first, or it would keep what is put in their
    # place.
    monkeypatch.setattr("synth.cli.ask.table_from", refuse)
    monkeypatch.setattr("synth.cli.commands.table_from", refuse)
    monkeypatch.setattr("synth.private.table.private_table.open_table", refuse)

    _, domain, bundle = files
    words = ("--domain", domain, "--question", COUNT, "--question", ALL, "--release", bundle)
    report = cli.report(*words, "--way", "release")
    assert set(report) == {"answers", "epsilon", "delta", "neighbors"}
    assert (report["epsilon"], report["delta"]) == (0, 0)
    count, table = report["answers"]
    assert (count["way"], table["way"]) == ("release", "release")
    assert count["low"] <= count["value"] == table["value"][0] <= count["high"]
    status, text, _ = cli(*words, "--way", "release")
    assert (status, text.splitlines()[-1]) == (0, NOTHING)


def test_free_answers_are_not_paid_for(files: Files, cli: Line) -> None:
    """A question that the release answers well enough is free, and only the others are paid.

    The release cost epsilon 5, so it is better than epsilon 0.5 and worse than epsilon 50. It
    cannot answer ages from 33, inside a bin.
    """
    table, domain, bundle = files
    words = (table, "--domain", domain, "--question", COUNT, "--release", bundle)
    words += ("--no-ledger",)
    cheap = cli.report(*words, "--question", "count where age >= 33", "--epsilon", "0.5")
    assert cheap["epsilon"] == 0.5
    assert [answer["way"] for answer in cheap["answers"]] == ["release", "laplace"]

    count_alone = cli.report(*words, "--epsilon", "0.5")
    assert (count_alone["epsilon"], count_alone["answers"][0]["way"]) == (0, "release")

    dear = cli.report(*words, "--epsilon", "50")
    assert (dear["epsilon"], dear["answers"][0]["way"]) == (50, "laplace")


def test_a_forecast_shows_both(files: Files, cli: Line) -> None:
    """A forecast beside a release shows the errors of the paid and of the free answers, but
    no value.

    In the text each question has an asterisk at the one that would be taken.
    """
    _, domain, bundle = files
    words = ("--domain", domain, "--question", COUNT, "--question", "count where age >= 33")
    words += ("--epsilon", "0.5", "--release", bundle, "--forecast", "--rows", "220")
    report = cli.report(*words)
    assert [answer["way"] for answer in report["answers"]] == ["release", "laplace"]
    assert [answer["way"] for answer in report["free"]] == ["release", "release"]
    assert "value" not in report["free"][0]

    _, text, _ = cli(*words)
    assert "Free from the release" in text
    assert [line.count("* ±") for line in text.splitlines()[-2:]] == [1, 1]


def test_all_that_is_free_costs_nothing_in_a_forecast(files: Files, cli: Line) -> None:
    """If the release answers all questions, the forecast says that nothing would be spent."""
    _, domain, bundle = files
    words = ("--domain", domain, "--question", COUNT, "--epsilon", "0.5", "--release", bundle)
    status, text, _ = cli(*words, "--forecast", "--rows", "220")
    assert (status, "It would cost nothing." in text) == (0, True)

    # Without a spend as well, and without the answer's value.
    free_only = (
        "--domain",
        domain,
        "--question",
        COUNT,
        "--release",
        bundle,
        "--way",
        "release",
    )
    assert "value" not in cli.report(*free_only, "--forecast")["answers"][0]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--way", "release"], "Say which release answers: --release BUNDLE.zip."),
        (
            ["--way", "release", "--release", "BUNDLE", "--epsilon", "1"],
            "leave out --epsilon.",
        ),
        (
            ["--release", "BUNDLE", "--error", "3", "--forecast", "--rows", "9"],
            "leave out --release.",
        ),
        (["--way", "release", "--release", "none.zip"], "There is no file 'none.zip'."),
        (
            ["--way", "release", "--release", "BUNDLE", "--columns", "sex"],
            "ask with the domain of its bundle.",
        ),
        (
            ["--way", "release", "--release", "BUNDLE", "--person", "day"],
            "give the same --person and --max-rows.",
        ),
    ],
)
def test_bad_input_is_one_sentence(
    files: Files, cli: Line, words: list[str], sentence: str
) -> None:
    """Options that do not go with a release's answers are refused in one sentence.

    BUNDLE stands for the path of the bundle.
    """
    arguments = [str(files[2]) if word == "BUNDLE" else word for word in words]
    assert cli.refusal("--domain", files[1], "--question", COUNT, *arguments).endswith(
        sentence
    )


def test_a_bundle_that_was_changed_is_refused_as_verify_does(
    files: Files, tmp_path: Path, cli: Line
) -> None:
    """A bundle that lacks its last 40 bytes answers nothing: it is no whole zip file."""
    broken = tmp_path / "broken.zip"
    broken.write_bytes(files[2].read_bytes()[:-40])
    words = (
        "--domain",
        files[1],
        "--question",
        COUNT,
        "--release",
        broken,
        "--way",
        "release",
    )
    assert cli.refusal(*words) == "'broken.zip' is not a whole zip file."
