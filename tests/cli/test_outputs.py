"""Wrong outputs, wrong budgets and wrong inputs: nothing is spent, and nothing is
replaced.
"""

import os
import re
import shlex
import shutil
from collections.abc import Iterator
from contextlib import chdir
from pathlib import Path

import pytest

from synth.bundle import ANSWER_FILES, folder_names, linked_names
from synth.domain import read_package
from synth.door import Ledger
from tests.cli.conftest import Line
from tests.workplace import ASKED, LEDGER, LINKED, PAID, make_workplace, snapshot

WORDS = {
    "RELEASE": "release t.csv --domain domain.json --epsilon 2",
    "PARTS": "release t.csv --domain domain.json --epsilon 2 --method one-shot --in-parts",
    "ASK": f"ask t.csv --domain domain.json --epsilon 2 {shlex.join(ASKED)}",
    "CHECK": "check t.csv --domain domain.json",
    "PACKAGE": "release package/datapackage.json --epsilon 2",
    "FORM": "collect form --question 'Do you smoke?' --epsilon 1",
    "READ": "collect read collected --form form.html",
    "LEDGER": shlex.join(LEDGER),
}
"""What many command lines begin or end with."""

FOLDER_THERE = "already; name a folder that is not there yet"
INPUT = "is used by the same call as an input"
THERE = "is there already and is kept"
FOLDER = "is a folder; name a file"
NO_FOLDER = "is no folder"
PIPE = "is a pipe, which is never"
READ_ONLY = "is read-only"
ENDING = "needs a name that ends with"
KINDS = "but the command can only write"
NOWHERE = "There is no folder"

OUTPUTS = [
    ("RELEASE --out folder.zip", FOLDER),
    ("RELEASE --out folder.zip LEDGER", FOLDER),
    ("RELEASE --out there.zip", THERE),
    ("RELEASE --out there.zip LEDGER", THERE),
    ("RELEASE --out b.zip LEDGER", THERE),
    ("RELEASE --out b.zip --ledger new.db --dataset s --budget 3", THERE),
    ("RELEASE --out there.zip --epsilon 1 LEDGER", "given twice"),
    ("RELEASE --out read_only.zip --overwrite", READ_ONLY),
    ("RELEASE --out pipe.zip", PIPE),
    ("RELEASE --out pipe.zip --overwrite LEDGER", PIPE),
    ("RELEASE --out link.zip --overwrite", "is a link, which is never"),
    ("RELEASE --out nothing.zip --overwrite", "is a link, which is never"),
    ("RELEASE --out to_table.zip --overwrite", INPUT),
    ("RELEASE --out hard.zip --overwrite", INPUT),
    ("RELEASE --out t.csv --overwrite", INPUT),
    ("RELEASE --out folder/../t.csv", INPUT),
    ("RELEASE --out domain.json --overwrite", KINDS),
    ("RELEASE --out l.db --overwrite LEDGER", KINDS),
    ("PARTS --out l.db/ --overwrite LEDGER", INPUT),
    ("PARTS --out l.db.key/ --overwrite LEDGER", "'l.db.key' belongs to 'l.db'"),
    ("PARTS --out l.db-journal/ LEDGER", "'l.db-journal' belongs to 'l.db'"),
    ("RELEASE --out release.txt", KINDS),
    ("RELEASE --out taken.csv LEDGER", "'taken.certificate.json' is there already"),
    ("RELEASE --out new.csv --formats xlsx", "and a .csv file has one"),
    ("RELEASE --out nowhere/r.zip", NOWHERE),
    ("RELEASE --out t.csv/r.zip", "'t.csv' is no folder"),
    ("RELEASE --out new.zip --check 1/10 --no-ledger", "'check.json' is there already"),
    ("RELEASE --out rules.json --rules rules.json --overwrite", KINDS),
    ("RELEASE --out public.csv --public public.csv --vouched-by me", INPUT),
    ("RELEASE --out check.json --check check.json --overwrite", KINDS),
    ("release t.csv --plan out/domain.json --out out --overwrite", INPUT),
    ("RELEASE --out . --overwrite", "'domain.json' is used by the same call"),
    ("release synthetic.csv --domain check.json --epsilon 1 --out . --overwrite", INPUT),
    ("RELEASE --out t.csv", INPUT),
    ("RELEASE --out t.csv/", NO_FOLDER),
    ("RELEASE --out pipe", NO_FOLDER),
    ("RELEASE --out full", "'full/certificate.json' is there already"),
    (
        "RELEASE --out full --out new.zip LEDGER",
        "'full/certificate.json' is there already",
    ),
    ("RELEASE --out new --out new.zip/b.zip", NOWHERE),
    ("RELEASE --out nowhere/deeper", NOWHERE),
    ("PARTS --out full", FOLDER_THERE),
    ("PARTS --out parts --overwrite LEDGER", FOLDER_THERE),
    ("PARTS --out t.csv", KINDS),
    ("PARTS --out t.csv/", INPUT),
    ("PACKAGE --out package --overwrite", "'package/homes.csv' is used by the same call"),
    ("PACKAGE --out package/datapackage.json --overwrite", KINDS),
    ("PACKAGE --out new.csv", KINDS),
    ("PACKAGE --out there.zip", THERE),
    ("PACKAGE --out pipe.zip --overwrite", PIPE),
    ("ASK --out t.csv --overwrite", KINDS),
    ("ASK --out there.zip", THERE),
    ("ASK --out answers.zip LEDGER", THERE),
    ("ASK --out pipe.zip --overwrite", PIPE),
    ("ASK --out full", "'full/certificate.json' is there already"),
    ("ask answers.csv --domain domain.json --epsilon 1 --question 'mean age' --out .", INPUT),
    ("ASK --questions questions.json --out questions.json", KINDS),
    ("ASK --release b.zip --out b.zip --overwrite", INPUT),
    ("CHECK --epsilon 1 --out t.csv --overwrite", INPUT),
    ("CHECK --epsilon 1 --out there.json", THERE),
    ("CHECK --epsilon 1 --out check.json LEDGER", THERE),
    ("CHECK --epsilon 1 --out check.txt", ENDING),
    ("CHECK --look --out domain.json --overwrite", INPUT),
    ("CHECK --look --out there.json", THERE),
    ("CHECK --look --out pipe.json --overwrite LEDGER", PIPE),
    ("dummy domain.json --rows 5 --out o.csv", ENDING),
    ("dummy domain.json --rows 5 --out domain.json --overwrite", INPUT),
    ("dummy domain.json --rows 5 --out there.zip", THERE),
    ("dummy domain.json --rows 5 --shares shares.json --out shares.json", INPUT),
    ("draw b.zip --rows 5 --out b.zip --overwrite", INPUT),
    ("draw link.zip --rows 5 --out b.zip --overwrite", INPUT),
    ("draw b.zip --rows 5 --out there.zip", THERE),
    ("draw b.zip --rows 5 --out folder.zip --overwrite", FOLDER),
    ("replicates b.zip --out full", FOLDER_THERE),
    ("replicates b.zip --out b.zip", KINDS),
    ("replicates b.zip --out b.zip/", INPUT),
    ("replicates b.zip --out nowhere/tables", NOWHERE),
    ("export b.zip --out b.zip --formats xlsx", NO_FOLDER),
    ("export b.zip --out there.xlsx", THERE),
    ("export b.zip --out pipe.xlsx --overwrite", PIPE),
    ("export b.zip --out full --formats xlsx", "'full/synthetic.xlsx' is there already"),
    ("export b.zip --out nowhere/rows.xlsx", NOWHERE),
    ("compare t.csv b.zip --out t.csv --overwrite", INPUT),
    ("compare t.csv b.zip --out b.zip --overwrite", INPUT),
    ("compare t.csv b.zip --out there.html", THERE),
    ("compare t.csv b.zip --out folder.html", FOLDER),
    ("domain convert domain.json --out domain.json --overwrite", INPUT),
    ("domain convert domain.json --out there.json", THERE),
    ("domain convert domain.json --to codebook --out new.json", ENDING),
    ("domain convert domain.json --out new.zip", ENDING),
    ("domain convert domain.json --out pipe.json --overwrite", PIPE),
    ("domain draft t.csv --out t.csv --overwrite", INPUT),
    ("domain draft t.csv --out there.json", THERE),
    ("domain draft t.csv --look --out there.json", THERE),
    ("domain draft t.csv --epsilon 2 --out draft.json LEDGER", THERE),
    (
        "domain draft t.csv --epsilon 2 --candidates candidates.json --out candidates.json",
        INPUT,
    ),
    ("domain template t.csv --out t.csv --overwrite", INPUT),
    ("domain template t.csv --out there.csv", THERE),
    ("example --out t.csv", KINDS),
    ("example --out t.csv/", NO_FOLDER),
    ("example --out full", "'full/survey.csv' is there already"),
    ("FORM --out there.html", THERE),
    ("FORM --out new.txt", ENDING),
    ("FORM --out pipe.html --overwrite", PIPE),
    ("READ --out collected/more.csv", "would be in the folder 'collected'"),
    ("READ --out form.html --overwrite", INPUT),
    ("READ --out there.csv", THERE),
    ("desktop --install --out t.csv", KINDS),
]
BUDGETS = [
    ("RELEASE --out new.zip LEDGER --budget abc", "budget"),
    ("RELEASE --out new.zip LEDGER --budget 0", "budget"),
    ("RELEASE --out new.zip LEDGER --budget -1", "budget"),
    ("RELEASE --out new.zip LEDGER --budget 1/0", "budget"),
    (
        "RELEASE --out new.zip --no-ledger --budget 3",
        "--budget does not go with --no-ledger",
    ),
    (
        "RELEASE --out new.zip --no-ledger --new-dataset",
        "--new-dataset does not go with --no-ledger",
    ),
    ("RELEASE --out new.zip --ledger l.db", "The same table was released before as 's'"),
    (
        "RELEASE --out new.zip --ledger l.db --dataset z",
        "The same table was released before",
    ),
    ("RELEASE --out new.zip --score x LEDGER", "epsilon"),
    ("RELEASE --out new.zip --delta 2 LEDGER", "delta"),
    ("release t.csv --domain domain.json --epsilon 0 --out new.zip LEDGER", "epsilon"),
    ("release t.csv --domain domain.json --epsilon -1 --out new.zip LEDGER", "epsilon"),
    ("release t.csv --domain domain.json --epsilon a --out new.zip LEDGER", "epsilon"),
    ("release t.csv --domain domain.json --out new.zip LEDGER", "--epsilon is missing"),
    ("ASK --rho 1 --out new.zip LEDGER", "both set the spend; keep one"),
]
INPUTS = [
    ("release nowhere.csv --domain domain.json --epsilon 1 --out new.zip", "nowhere.csv"),
    (
        "release folder --domain domain.json --epsilon 1 --out new.zip",
        "without Parquet files",
    ),
    ("release pipe.csv --domain domain.json --epsilon 1 --out new.zip", "pipe"),
    ("release t.csv --domain nowhere.json --epsilon 1 --out new.zip", "nowhere.json"),
    ("release t.csv --domain pipe.json --epsilon 1 --out new.zip", "pipe"),
    ("release t.csv --plan there.json --out new.zip", "there.json"),
    ("release nowhere/datapackage.json --epsilon 1 --out new.zip", "nowhere"),
    ("RELEASE --rules nowhere.json --out new.zip LEDGER", "nowhere.json"),
    ("RELEASE --public nowhere.csv --vouched-by me --out new.zip LEDGER", "nowhere.csv"),
    ("RELEASE --out new.zip --ledger t.csv", "cannot be its ledger"),
    ("RELEASE --out new.zip --ledger hard.zip", "cannot be its ledger"),
    ("RELEASE --out new.zip --ledger domain.json --dataset s", "cannot be its ledger"),
    ("RELEASE --out new.zip --ledger there.zip --dataset s", "not a ledger"),
    ("RELEASE --out new.zip --ledger folder --dataset s", "it is a folder"),
    ("RELEASE --out new.zip --ledger pipe --dataset s", "it is a pipe or a device"),
    ("RELEASE --out new.zip --ledger nowhere/l.db --dataset s", "does not exist"),
    ("ASK --questions nowhere.json --out new.zip LEDGER", "nowhere.json"),
    ("ask nowhere.csv --domain domain.json --epsilon 1 --question 'mean age'", "nowhere.csv"),
    ("draw t.csv --rows 5 --out new.zip", "'t.csv' is not a bundle of Synth"),
    ("draw nowhere.zip --rows 5 --out new.zip", "There is no file 'nowhere.zip'"),
    ("export pipe.zip --out new.xlsx", "pipe"),
    ("READ --form there.html --out new.csv", "given twice"),
]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The folder in which all command lines run; none of them changes anything in it."""
    folder = tmp_path_factory.mktemp("workplace")
    with chdir(folder):
        make_workplace(folder)
        yield folder


@pytest.fixture
def copied(place: Path, tmp_path: Path) -> Iterator[Path]:
    """A copy of the folder that may change, without its pipes."""
    folder = tmp_path / "copied"
    shutil.copytree(place, folder, symlinks=True, ignore=shutil.ignore_patterns("pipe*"))
    with chdir(folder):
        yield folder


def words_of(line: str) -> list[str]:
    """The words of a command line, with the names of `WORDS` replaced."""
    for name, words in WORDS.items():
        line = line.replace(name, words)
    return shlex.split(line)


@pytest.mark.parametrize(("line", "sentence"), [*OUTPUTS, *BUDGETS, *INPUTS])
def test_a_wrong_line_is_one_sentence_and_changes_nothing(
    place: Path, cli: Line, line: str, sentence: str
) -> None:
    """A wrong output, budget or input is refused in one sentence, and no file is changed.

    `place` is a folder with a table, a ledger, releases, and files that are in the way. Its
    snapshot has the modes and contents of all files.
    """
    before = snapshot(place)
    status, out, err = cli(*words_of(line))

    assert (status, out) == (2, ""), err
    assert snapshot(place) == before
    said_before = ("Note: ", "Proposal: ")
    (refusal,) = [text for text in err.splitlines() if not text.startswith(said_before)]
    assert sentence in refusal
    assert refusal.endswith(".")
    assert not re.search(r"[.!?] [A-Z]", refusal), "one sentence"


def test_so_many_lines_are_wrong() -> None:
    assert len({line for line, _ in OUTPUTS}) == len(OUTPUTS) > 60


@pytest.mark.parametrize("words", PAID, ids=" ".join)
def test_an_output_that_holds_this_very_release_stays(
    place: Path, cli: Line, words: list[str]
) -> None:
    """A command that was paid before leaves its own outputs as they are, and is no error.

    Not even their inodes change, so no file was written anew.
    """
    before = snapshot(place)
    inodes = {name: (place / name).lstat().st_ino for name in before}
    cli.output(*words, *LEDGER)
    assert snapshot(place) == before
    assert {name: (place / name).lstat().st_ino for name in before} == inodes


def test_linked_tables_that_are_there_stay_too(place: Path, cli: Line) -> None:
    """A release of linked tables that was paid before leaves its own outputs as they are."""
    before = snapshot(place)
    cli.output(*LINKED)
    assert snapshot(place) == before


def test_all_that_is_written_was_looked_at(place: Path) -> None:
    """The names that are checked before a spend are exactly those of the files that are
    written.

    They are compared for a release, for answers and for linked tables, each in its folder.
    """
    package = read_package(place / "package" / "datapackage.json")
    names = {
        "out": folder_names(()),
        "answered": ANSWER_FILES,
        "linked": linked_names(package, ["csv"]),
    }
    assert {name: {*os.listdir(place / name)} for name in names} == {
        name: {*path_options} for name, path_options in names.items()
    }


def test_what_may_be_replaced_is(copied: Path, cli: Line) -> None:
    """With --overwrite files that are in the way are replaced, and others in the folder stay.

    All of these held the word "mine" before.
    """
    output_words = [*LEDGER, "--out", "there.zip", "--out", "full"]
    cli.refusal(*words_of("RELEASE"), *output_words)
    cli.output(*words_of("RELEASE"), *output_words, "--overwrite")
    cli.output("verify", "there.zip", "--ledger", "l.db")
    assert (copied / "full" / "note.txt").read_text() == "mine"
    assert (copied / "full" / "certificate.json").read_text() != "mine"

    cli.output(*words_of("dummy domain.json --rows 5 --out there.zip --overwrite"))
    cli.output(*words_of("export b.zip --out there.xlsx --overwrite"))
    cli.output(*words_of("domain template t.csv --out there.csv --overwrite"))
    cli.output(*words_of("FORM --out there.html --overwrite"))
    for ending in ("zip", "xlsx", "csv", "html"):
        assert (copied / f"there.{ending}").read_bytes() != b"mine", ending


def test_a_repeat_whose_file_was_changed_spends_nothing(copied: Path, cli: Line) -> None:
    """If the bundle of a paid release was changed, the same command refuses to replace it.

    With --overwrite it writes the bundle again. Neither spends anything.
    """
    Path("b.zip").write_text("changed")  # the output of the command `PAID[2]`
    before = snapshot(copied)
    assert cli.refusal(*PAID[2], *LEDGER).startswith("'b.zip' is there already")
    assert snapshot(copied) == before

    with Ledger("l.db", readonly=True) as book:
        spent = book.balance("s").spent
    cli.output(*PAID[2], *LEDGER, "--overwrite")
    with Ledger("l.db", readonly=True) as book:
        assert book.balance("s").spent == spent
