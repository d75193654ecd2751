"""Wrong outputs, budgets and inputs of Python calls: nothing is spent, and nothing is
replaced.
"""

import re
import warnings
from collections.abc import Callable, Iterator
from contextlib import chdir
from dataclasses import dataclass
from pathlib import Path

import pandas as pd
import pytest

import synth
from synth.errors import ReleaseError, SynthError
from synth.lessons import write_example
from tests.workplace import PAID, TABLE, make_workplace, snapshot

FOLDER_THERE = "already; name a folder that is not there yet"
INPUT = "is used by the same call as an input"
THERE = "is there already and is kept"
FOLDER = "is a folder; name a file"
PIPE = "is a pipe, which is never"
ENDING = "needs a name that ends with"
NOWHERE = "There is no folder"
NO_LEDGER = "cannot be its ledger or the key of its ledger"
TABLES = ("homes", "persons", "cars", "events")


@dataclass(frozen=True)
class Made:
    """What calls gave before, each from files of the folder."""

    release: synth.Release
    opened: synth.Release
    fitted: synth.Release
    in_memory: synth.Release
    answers: synth.Answers
    linked: synth.LinkedRelease
    dummy: synth.DrawnTable
    drawn_table: synth.DrawnTable
    replicates: synth.Replicates


Call = Callable[[Made], object]

SAVES: list[tuple[str, Call, str]] = [
    ("table", lambda outputs: outputs.release.save("t.csv", overwrite=True), INPUT),
    (
        "link-table",
        lambda outputs: outputs.release.save("to_table.zip", overwrite=True),
        INPUT,
    ),
    ("hard-table", lambda outputs: outputs.release.save("hard.zip", overwrite=True), INPUT),
    ("spelled", lambda outputs: outputs.release.save(Path("folder/../t.csv")), INPUT),
    ("domain", lambda outputs: outputs.release.save("domain.json", overwrite=True), INPUT),
    ("ledger", lambda outputs: outputs.release.save("l.db", overwrite=True), INPUT),
    (
        "key",
        lambda outputs: outputs.release.save("l.db.key", overwrite=True),
        "belongs to 'l.db'",
    ),
    ("journal", lambda outputs: outputs.release.save("l.db-journal"), "belongs to 'l.db'"),
    ("folder", lambda outputs: outputs.release.save("folder.zip", overwrite=True), FOLDER),
    ("there", lambda outputs: outputs.release.save("there.zip"), THERE),
    ("other", lambda outputs: outputs.release.save("scored.zip"), THERE),
    ("more-formats", lambda outputs: outputs.release.save("b.zip", "xlsx"), THERE),
    (
        "read-only",
        lambda outputs: outputs.release.save("read_only.zip", overwrite=True),
        "is read-only",
    ),
    ("pipe", lambda outputs: outputs.release.save("pipe.zip", overwrite=True), PIPE),
    (
        "link",
        lambda outputs: outputs.release.save("link.zip", overwrite=True),
        "is a link, which is",
    ),
    ("ending", lambda outputs: outputs.release.save("release.txt"), ENDING),
    ("no-ending", lambda outputs: outputs.release.save("release"), ENDING),
    ("device", lambda outputs: outputs.release.save("/dev/null", overwrite=True), "a device"),
    ("csv-there", lambda outputs: outputs.release.save("there.csv"), THERE),
    ("csv-pipe", lambda outputs: outputs.release.save("pipe.csv", overwrite=True), PIPE),
    ("csv-table", lambda outputs: outputs.release.save("t.csv", overwrite=True), INPUT),
    ("csv-parent", lambda outputs: outputs.release.save("nowhere/r.csv"), NOWHERE),
    (
        "csv-certificate",
        lambda outputs: outputs.release.save("taken.csv"),
        "'taken.certificate.json' is there already",
    ),
    ("parent", lambda outputs: outputs.release.save("nowhere/r.zip"), NOWHERE),
    ("rows-there", lambda outputs: outputs.release.save_table("there.xlsx"), THERE),
    (
        "rows-pipe",
        lambda outputs: outputs.release.save_table("pipe.xlsx", overwrite=True),
        PIPE,
    ),
    ("rows-parent", lambda outputs: outputs.release.save_table("nowhere/rows.sav"), NOWHERE),
    ("own-bundle", lambda outputs: outputs.opened.save("b.zip", overwrite=True), INPUT),
    ("opened-there", lambda outputs: outputs.opened.save("there.zip"), THERE),
    (
        "fitted-domain",
        lambda outputs: outputs.fitted.save("domain.json", overwrite=True),
        INPUT,
    ),
    ("memory-there", lambda outputs: outputs.in_memory.save("there.zip"), THERE),
    ("answers-table", lambda outputs: outputs.answers.save("t.csv", overwrite=True), INPUT),
    ("answers-ledger", lambda outputs: outputs.answers.save("l.db", overwrite=True), INPUT),
    ("answers-there", lambda outputs: outputs.answers.save("there.zip"), THERE),
    (
        "linked-table",
        lambda outputs: outputs.linked.save("package/homes.csv", overwrite=True),
        INPUT,
    ),
    (
        "linked-package",
        lambda outputs: outputs.linked.save("package/datapackage.json"),
        INPUT,
    ),
    ("linked-there", lambda outputs: outputs.linked.save("there.zip"), THERE),
    (
        "dummy-domain",
        lambda outputs: outputs.dummy.save("domain.json", overwrite=True),
        INPUT,
    ),
    ("dummy-there", lambda outputs: outputs.dummy.save("there.zip"), THERE),
    ("dummy-ending", lambda outputs: outputs.dummy.save("o.csv"), ENDING),
    (
        "drawn-bundle",
        lambda outputs: outputs.drawn_table.save("b.zip", overwrite=True),
        INPUT,
    ),
    ("tables-there", lambda outputs: outputs.replicates.save("full"), FOLDER_THERE),
    ("tables-bundle", lambda outputs: outputs.replicates.save("b.zip"), INPUT),
    ("tables-file", lambda outputs: outputs.replicates.save("t.csv"), FOLDER_THERE),
    ("example-there", lambda _: write_example("full"), "'full/survey.csv' is there already"),
    ("example-file", lambda _: write_example("t.csv", overwrite=True), "is no folder"),
]
ARGUMENTS: list[tuple[str, Call, str]] = [
    ("save-empty", lambda outputs: outputs.release.save(""), "No path is given for path"),
    (
        "save-nul",
        lambda outputs: outputs.release.save("a\0.zip"),
        "cannot be the name of a file",
    ),
    ("ledger-table", lambda _: release(ledger="t.csv"), NO_LEDGER),
    ("ledger-hard", lambda _: release(ledger="hard.zip"), NO_LEDGER),
    ("ledger-domain", lambda _: release(ledger="domain.json"), NO_LEDGER),
    (
        "ledger-opened",
        lambda _: release(synth.open_table("t.csv"), ledger="t.csv"),
        NO_LEDGER,
    ),
    ("ledger-public", lambda _: release(public="public.csv", ledger="public.csv"), NO_LEDGER),
    ("ledger-linked", lambda _: release_linked(ledger="package/cars.csv"), NO_LEDGER),
    (
        "ledger-asked",
        lambda _: synth.ask("t.csv", "domain.json", "mean age", epsilon=1, ledger="t.csv"),
        NO_LEDGER,
    ),
    (
        "ledger-checked",
        lambda _: synth.check("t.csv", "domain.json", ledger="t.csv"),
        NO_LEDGER,
    ),
    ("ledger-drafted", lambda _: synth.draft("t.csv", 1, ledger="t.csv"), NO_LEDGER),
    (
        "ledger-fitted",
        lambda _: synth.Synthesizer("domain.json", epsilon=1, ledger="domain.json"),
        NO_LEDGER,
    ),
    ("ledger-folder", lambda _: release(ledger="folder"), "it is a folder"),
    ("ledger-pipe", lambda _: release(ledger="pipe"), "it is a pipe or a device"),
    ("ledger-other", lambda _: release(ledger="there.zip"), "not a ledger"),
    ("ledger-nowhere", lambda _: release(ledger="nowhere/l.db"), "does not exist"),
    ("budget-text", lambda _: release(ledger="l.db", budget="abc"), "budget"),
    ("budget-zero", lambda _: release(ledger="l.db", budget=0), "budget"),
    ("budget-alone", lambda _: release(budget=3, ledger=False), "A budget needs a ledger"),
    ("epsilon-zero", lambda _: release(ledger="l.db", epsilon=0), "epsilon"),
    ("epsilon-text", lambda _: release(ledger="l.db", epsilon="much"), "epsilon"),
    ("delta-large", lambda _: release(ledger="l.db", delta=2), "delta"),
    ("dataset-unknown", lambda _: release(ledger="l.db", dataset="z"), "was released before"),
    ("table-nowhere", lambda _: release("nowhere.csv", ledger="l.db"), "nowhere.csv"),
    ("table-folder", lambda _: release("folder", ledger="l.db"), "without Parquet files"),
    ("table-pipe", lambda _: release("pipe.csv", ledger="l.db"), "pipe"),
    ("domain-nowhere", lambda _: synth.dummy("nowhere.json", rows=5), "nowhere.json"),
    ("domain-pipe", lambda _: synth.dummy("pipe.json", rows=5), "pipe"),
    ("public-nowhere", lambda _: release(public="nowhere.csv", ledger="l.db"), "nowhere.csv"),
    ("bundle-table", lambda _: synth.open_bundle("t.csv"), "t.csv"),
    ("bundle-nowhere", lambda _: synth.draw("nowhere.zip", rows=5), "nowhere.zip"),
]


def release(
    data: synth.api.releasing.TableLike = "t.csv", **options: object
) -> synth.Release:
    """A release of the table of the folder, or of other data, by default at epsilon 1."""
    vouched_by = "me" if "public" in options else ""
    arguments = {"epsilon": 1, "dataset": "s", "vouched_by": vouched_by, **options}
    return synth.release(data, "domain.json", **arguments)  # type: ignore[arg-type]


def release_linked(**options: object) -> synth.LinkedRelease:
    tables = {name: f"package/{name}.csv" for name in TABLES}
    return synth.release_linked(tables, "package/datapackage.json", 1, **options)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder with a table, a ledger, bundles, and files that are in the way of outputs."""
    folder = tmp_path_factory.mktemp("workplace")
    with chdir(folder), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        make_workplace(folder, PAID[:4])
        yield folder


@pytest.fixture(scope="module")
def outputs(place: Path) -> Made:
    """One result of each kind that can be saved, made from files of the folder."""
    assert place.is_dir()
    arguments = {"ledger": "l.db", "dataset": "s"}
    frame = pd.DataFrame({"sex": ["F", "M"] * 300, "age": [30] * 600})
    return Made(
        release=synth.release("t.csv", "domain.json", epsilon=1, **arguments),  # type: ignore[arg-type]
        opened=synth.open_bundle("b.zip"),
        fitted=synth.Synthesizer("domain.json", epsilon=1).fit(frame).release,
        in_memory=synth.release(frame, synth.Domain(sex=["F", "M"]), epsilon=1),
        answers=synth.ask("t.csv", "domain.json", "mean age", 1, **arguments),  # type: ignore[arg-type]
        linked=release_linked(neighbors="add-remove"),
        dummy=synth.dummy("domain.json", rows=5),
        drawn_table=synth.draw("b.zip", rows=5),
        replicates=synth.replicates("b.zip", tables=2),
    )


@pytest.mark.parametrize(
    ("call", "sentence", "kind"),
    [
        *(pytest.param(*save[1:], ReleaseError, id=f"save-{save[0]}") for save in SAVES),
        *(pytest.param(*argument[1:], SynthError, id=argument[0]) for argument in ARGUMENTS),
    ],
)
def test_a_wrong_call_is_one_sentence_and_changes_nothing(
    place: Path, outputs: Made, call: Call, sentence: str, kind: type[SynthError]
) -> None:
    """A wrong output, budget or input of a call is refused in one sentence, and changes no
    file.

    Each case is a call with the results made before, a part of its refusal and the error's
    type. A snapshot has the modes and contents of all files of the folder.
    """
    before = snapshot(place)
    with pytest.raises(kind) as refused:
        call(outputs)
    assert snapshot(place) == before
    message = str(refused.value)
    assert sentence in message
    assert message.endswith(".")
    assert not re.search(r"[.!?] [A-Z]", message), "one sentence"


def test_so_many_calls_are_wrong() -> None:
    assert len({save[0] for save in SAVES}) == len(SAVES) > 30
    assert len({argument[0] for argument in ARGUMENTS}) == len(ARGUMENTS)


def test_a_bundle_that_is_this_very_release_stays(place: Path, outputs: Made) -> None:
    """Saving a release to its own bundle does nothing, with or without overwrite.

    The release was made before by the same request, so it is repeated. Not even the inode of
    the file changes.
    """
    before = snapshot(place)
    assert outputs.release.repeated
    for overwrite in (False, True):
        inode = (place / "b.zip").stat().st_ino
        outputs.release.save("b.zip", overwrite=overwrite)
        assert (place / "b.zip").stat().st_ino == inode
    assert snapshot(place) == before


def test_another_file_is_replaced_if_somebody_says_so(outputs: Made, tmp_path: Path) -> None:
    """With overwrite=True results replace any file of that name, and no other file.

    A workbook is a zip file, which begins with PK.
    """
    for name in ("t.csv", "there.zip", "there.xlsx"):
        (tmp_path / name).write_text(TABLE)

    bundle = tmp_path / "there.zip"
    outputs.in_memory.save(bundle, overwrite=True)
    outputs.in_memory.save_table(tmp_path / "there.xlsx", overwrite=True)
    assert synth.verify(bundle).verdict != "refuted"
    assert (tmp_path / "there.xlsx").read_bytes().startswith(b"PK")

    for result in (outputs.dummy, outputs.drawn_table, outputs.linked, outputs.answers):
        result.save(bundle, overwrite=True)
    assert (tmp_path / "t.csv").read_text() == TABLE
