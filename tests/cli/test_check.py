"""``check``, and the refusals of ``release``: by noisy numbers, with a yes that lifts
them.
"""

import json
import zipfile
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest

from synth.door import Ledger
from synth.noise import DiscreteLaplace
from synth.spending import fit
from synth.util import Ints
from synth.verification import verify
from tests.audit.mutate import catch
from tests.cli.conftest import Line
from tests.conftest import Report
from tests.fit_tables import DATE, NUMBER, ROWS, write_dates, write_declaration

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The model case: its table, a declaration that no row fits, and one that all fit."""
    write_dates(tmp_path / "t.csv")
    write_declaration(tmp_path / "wrong.json", NUMBER)
    write_declaration(tmp_path / "right.json", DATE)
    return tmp_path


@pytest.fixture
def run(folder: Path, cli: Line) -> Run:
    """Run a command on the table with the declaration of this name, by default with a ledger.

    It returns the status, stdout and stderr.
    """

    def run(
        command: str, domain: str, *options: object, ledger: bool = True
    ) -> tuple[int, str, str]:
        book = ["--no-ledger"]
        if ledger:
            book = ["--ledger", folder / "l.db", "--dataset", "us", "--budget", "9"]
        return cli(
            command, folder / "t.csv", "--domain", folder / f"{domain}.json", *book, *options
        )

    return run


def spent_epsilons(folder: Path) -> list[Fraction | None]:
    """The epsilon of each spend that the ledger recorded, in order."""
    with Ledger(folder / "l.db", readonly=True) as book:
        return [entry.guarantee.epsilon for entry in book.entries()]


def test_a_check_costs_what_the_rows_suggest_and_says_how_many_fit(
    run: Run, folder: Path
) -> None:
    """Without --epsilon a check costs just enough to see, give or take 5 % of the rows, how
    many fit.

    For 9,357 rows, and two numbers (all columns, and `sex`), that is epsilon 0.013. Each
    number gets 0.0065, whose 95 % interval reaches 461 rows, below 5 % of the rows or 467.
    """
    status, text, _ = run("check", "wrong", "--rows", ROWS, "--columns", "sex")
    assert status == 0
    assert "of 9,357 rows fit in all columns (± 461 in 95 of 100 cases)" in text
    assert "rows fit in column 'sex'" in text
    assert "Few or no rows fit: a release with this declaration would be noise." in text
    assert "Spent: epsilon 0.013 (replace-one)." in text
    assert spent_epsilons(folder) == [Fraction(13, 1000)]

    status, text, _ = run("check", "right", "--epsilon", ".1", "--json", ledger=False)
    content = json.loads(text)
    assert (status, content["few"], content["rows"], content["is_public"]) == (
        0,
        False,
        ROWS,
        True,
    )
    # At epsilon 0.1 the noise has scale 10: it exceeds 300 once in e^30 times.
    assert abs(content["counts"][0]["noisy"] - ROWS) < 300


@pytest.mark.parametrize(
    ("extra_words", "sentence"),
    [
        ([], "Give --epsilon; or --rows"),
        (["--look", "--no-ledger"], "Record the look: leave out --no-ledger, or add"),
        (["--look", "--epsilon", "1"], "A look (--look) is free and about all columns"),
        (["--epsilon", "1", "--columns", "age"], "The domain has no column 'age'"),
        (["--rows", "0"], "--rows must be a whole number"),
    ],
)
def test_what_cannot_be_is_one_sentence(
    run: Run, extra_words: list[str], sentence: str
) -> None:
    """An option of `check` that is missing, wrong or excluded by another is one sentence."""
    status, text, error = run("check", "right", *extra_words, ledger=False)
    assert (status, text) == (2, "")
    assert sentence in error
    assert "Traceback" not in error


def test_a_look_is_private_free_and_remembered(run: Run, folder: Path) -> None:
    """A look shows the steward exact numbers for nothing, and later releases say that
    somebody looked.

    No row fits the wrong declaration: 0 of 9,357. The look is noted in a file of the
    declaration.
    """
    status, text, _ = run(
        "check", "wrong", "--look", "--out", folder / "seen.json", ledger=False
    )
    assert status == 0
    assert text.startswith("Private, for you alone")
    assert "0 of 9,357 (0.0%) in all columns" in text
    assert (
        "Only 0 of 9,357 rows (0.0 %) fit column 'day'; Synth takes the nearest bound" in text
    )
    assert "From now on the declaration may depend on the table" in text
    assert json.loads((folder / "seen.json").read_text())["synth:looked"] is True

    # The steward corrects the declaration; the note of the look stays in it.
    bundle = folder / "b.zip"
    write_declaration(folder / "seen.json", DATE, looked=True)
    assert run("release", "seen", "--epsilon", "1", "--out", bundle)[0] == 0
    statement = verify(bundle).certificate.guarantee.statement
    assert "The declaration may depend on the table" in statement


def test_a_look_in_the_ledger_binds_later_releases(run: Run, cli: Line, folder: Path) -> None:
    """A look that the ledger recorded is stated by every later release, and by no earlier
    one.

    The look itself costs nothing: the spends are those of the two releases, 1 and 2.
    """
    words = ["--look", "--ledger", folder / "l.db", "--dataset", "us"]
    assert run("release", "right", "--epsilon", "1", "--out", folder / "a")[0] == 0
    assert cli("check", folder / "t.csv", "--domain", folder / "right.json", *words)[0] == 0
    assert run("release", "right", "--epsilon", "2", "--out", folder / "b")[0] == 0
    before, after = ((folder / n / "certificate.json").read_text() for n in "ab")
    assert "may depend" not in before
    assert "The declaration may depend on the table" in after
    assert spent_epsilons(folder) == [1, 2]


def test_a_release_is_refused_after_a_check_that_says_few(run: Run, folder: Path) -> None:
    """After a check that finds few rows, a release is refused unless --anyway is given.

    The refused release costs nothing. The one that is made counts the check: 1 + 1/100 =
    101/100.
    """
    out = folder / "out"
    order = ["release", "wrong", "--epsilon", "1", "--out", out]
    status, text, error = run(*order, "--check", ".01")
    assert (status, text, out.exists()) == (2, "", False)
    assert "Not released: by the check, about " in error
    assert "release anyway with --anyway." in error
    assert spent_epsilons(folder) == [Fraction(1, 100)], "the release was not paid for"

    status, text, error = run(*order)
    assert status == 2, "the ledger knows of the check"
    assert spent_epsilons(folder) == [Fraction(1, 100)]

    status, text, error = run(*order, "--anyway", "--json")
    assert status == 0, error
    assert json.loads(text)["rows_fit"].startswith("Few or no rows fit the description")
    certificate = json.loads((out / "certificate.json").read_text())
    assert certificate["guarantee"]["epsilon"] == "101/100"
    sentence = "This counts the check of the declaration that was made before."
    assert sentence in certificate["guarantee"]["statement"]


@pytest.mark.parametrize(
    "relation", ["replace-one", pytest.param("add-remove", marks=pytest.mark.slow)]
)
@pytest.mark.parametrize("method", ["dense", "independent"])
@pytest.mark.first_case
def test_its_own_counts_say_that_a_release_is_noise(
    run: Run, folder: Path, relation: str, method: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A release that no row fits says itself, by its noisy counts, that it is mostly noise.

    Nobody checked before, so it is not refused. The noise is replaced by 0, its most likely
    value; real noise would hide the fact once in forty times.
    """
    monkeypatch.setattr(DiscreteLaplace, "release", lambda _, values: values)
    bundle = folder / "b.zip"
    order = [
        "release",
        "wrong",
        "--epsilon",
        "1",
        "--neighbors",
        relation,
        "--method",
        method,
        "--out",
        bundle,
    ]

    status, text, _ = run(*order)
    assert status == 0
    assert text.startswith(
        "Few or no rows fit the description, so this release is mostly noise."
    )
    assert "The steward did not check before the release whether rows fit." in text
    assert spent_epsilons(folder) == [1]
    with zipfile.ZipFile(bundle) as archive, Ledger(folder / "l.db", readonly=True) as book:
        assert archive.read("statement.txt").startswith(b"Few or no rows fit the description")
        verify(bundle, book)


def test_noise_that_outweighs_all_rows_is_written_and_said(run: Run, folder: Path) -> None:
    """If noise hides how many rows fit, the release says so, and is still written.

    At epsilon 0.0003 a count has noise of scale 2 / 0.0003 = 6,667 or more, and there are
    9,357 rows.
    """
    order = ["release", "right", "--epsilon", ".0003", "--out", folder / "out"]
    status, text, _ = run(*order, "--json", ledger=False)
    assert status == 0
    content = json.loads(text)
    hidden = "Noise hides how many rows fit the description."
    assert content["mostly_noise"]
    assert hidden in content["rows_fit"]
    assert (folder / "out" / "synthetic.csv").exists(), "what is paid for is not lost"


def test_without_a_ledger_a_check_is_kept_in_a_file(run: Run, folder: Path) -> None:
    """Without a ledger, a check of a refused release is kept in check.json, and --check reads
    it.

    With --anyway, that file leads to a release that spends nothing more on the check, and
    counts it: 1 + 1/10 = 11/10.
    """
    release = ["release", "wrong", "--epsilon", "1", "--out", folder / "out"]
    check_path = folder / "out" / "check.json"

    status, _, error = run(*release, "--check", ".1", ledger=False)
    assert status == 2
    assert (
        f"No ledger keeps the check, so '{check_path}' does: --check '{check_path}' spends"
        in error
    )
    assert "The spend counts" not in error

    status, _, error = run(*release, "--check", check_path, ledger=False)
    assert status == 2
    assert "Not released: by the check" in error

    status, _, _ = run(*release, "--check", check_path, "--anyway", ledger=False)
    assert status == 0
    certificate = json.loads((folder / "out" / "certificate.json").read_text())
    assert certificate["guarantee"]["epsilon"] == "11/10"


def test_a_file_with_a_check_leads_to_a_release(run: Run, folder: Path) -> None:
    """A check that was written to a file by itself is read by a release of the same rows.

    A file of other content is refused.
    """
    check_path = folder / "check.json"
    status, _, _ = run("check", "right", "--epsilon", ".1", "--out", check_path, ledger=False)
    assert status == 0

    release = ["release", "right", "--epsilon", "1", "--out", folder / "two"]
    status, text, _ = run(*release, "--check", check_path, ledger=False)
    assert status == 0
    assert "\nChecked before the release: about 9,3" in text

    check_path.write_text("{}")
    _, _, error = run(*release, "--check", check_path, ledger=False)
    assert "This is no preparation of Synth" in error


def test_a_score_that_cannot_be_paid_does_not_lose_the_release(
    run: Run, folder: Path
) -> None:
    """If the budget pays for a release but not for its score, the release is written without
    it.

    Of a budget of 9, the release costs 8 and the score would cost 2.
    """
    order = ["release", "right", "--epsilon", "8", "--score", "2", "--out", folder / "out"]
    status, text, error = run(*order)
    assert status == 2
    assert " rows, epsilon 8." in text
    assert "The release was written without a score. " in error
    assert (folder / "out" / "certificate.json").exists()
    assert spent_epsilons(folder) == [8]


def test_where_rows_fit_nothing_is_asked(run: Run, folder: Path) -> None:
    """If rows fit, a release needs no --anyway; its text says whether a check was made
    before.

    The budget of 9 pays for both releases and the check.
    """
    status, text, _ = run("release", "right", "--epsilon", "1", "--out", folder / "out")
    assert status == 0
    assert "\nThe steward did not check before the release whether rows fit." in text
    assert "of 9,357 rows fit" in text

    status, text, _ = run(
        "release", "right", "--epsilon", "2", "--check", "1", "--out", folder / "two"
    )
    assert status == 0
    assert "\nChecked before the release: about 9,3" in text


def is_released_under_noise(run: Run, folder: Path, noise: int) -> bool:
    """Whether the wrong declaration is released, with this noise on the check.

    A check has one number. All counts of a release get 10,000 instead, so that they seem to
    hold rows.
    """

    def release(_: DiscreteLaplace, values: Ints) -> Ints:
        return np.asarray(values + (noise if len(values) == 1 else 10_000), dtype=np.int64)

    with patch.object(DiscreteLaplace, "release", release):
        order = [
            "release",
            "wrong",
            "--epsilon",
            "1",
            "--check",
            "1",
            "--out",
            folder / str(noise),
        ]
        return run(*order, ledger=False)[0] == 0


def test_refusals_depend_on_noisy_numbers_alone(run: Run, folder: Path) -> None:
    """Whether a release is refused depends on the noisy number of the check, not on the exact
    one.

    No row fits. Noise of 9,000 makes it look as if nearly all 9,357 did, and noise of 100 as
    if few did.
    """
    assert is_released_under_noise(run, folder, 9_000)
    assert not is_released_under_noise(run, folder, 100)


@pytest.mark.mutant
def test_a_threshold_on_exact_counts_is_caught(
    run: Run, folder: Path, report: Report
) -> None:
    """A faulty version that refuses by the exact number of rows is caught by the test.

    The exact number is the noisy one less its noise, which is 9,000 here.
    """
    state_fits = fit._state_fits

    def state_exact(query: Any, noisy: list[int], public: int | None) -> Any:
        return state_fits(query, [number - 9_000 for number in noisy], public)

    def is_caught() -> bool:
        with patch.object(fit, "_state_fits", state_exact):
            return not is_released_under_noise(run, folder, 9_000)

    catch("a refusal by the exact number", "5 (replay)", is_caught, report)


def test_vouching_is_for_what_was_taken_from_the_rows(run: Run, folder: Path) -> None:
    """--vouch is refused for a declaration that was not taken from the rows."""
    status, _, error = run(
        "release", "right", "--epsilon", "1", "--vouch", "--out", folder / "o"
    )
    assert status == 2
    assert (
        "--vouch is for a declaration that was taken from the rows; this one was not."
        in error
    )
