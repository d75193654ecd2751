"""The step Download: three files under names that say what they are, and all others."""

import re
from dataclasses import replace
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from pages.ui.release.files import HANDED_ON, OTHERS, label_releases, number_among
from pages.ui.release.publishing import VOUCH
from pages.ui.shell import release_job
from pages.ui.shell.release import Release
from pages.ui.shell.release_job import BUNDLE
from synth.bundle import CERTIFICATE, SINGLE_FILES, STATEMENT, SYNTHETIC
from synth.bundle.resources import RELEASE_FILES
from synth.estimate import REPAIRS, Repair
from synth.verification import verify
from tests.app.steward import (
    choose,
    draft_of,
    error_texts,
    go_to,
    press,
    release_by_plan,
    text_of,
    use_file,
    visit,
)

NAME = "Name of the files"


@pytest.fixture
def people(tmp_path: Path) -> AppTest:
    """The step Download after a release of a table whose lists came from its rows."""
    table = tmp_path / "our people.csv"
    table.write_text("sex,hours\n" + "F,40\nM,38\n" * 200)
    app = go_to(use_file(visit(), table), "domain")
    press(app, next(b.label for b in app.button if b.label.startswith("Look at the data")))
    return go_to(release_by_plan(app), "download")


def names_on(app: AppTest) -> list[str]:
    """The names of the files, in the order of their lines."""
    lines = (element.value.replace("\\", "") for element in app.markdown)
    return [
        line[2:].partition("**")[0] for line in lines if re.match(r"\*\*\w.*\*\* · ", line)
    ]


def test_files_are_named_by_table_epsilon_and_date(people: AppTest) -> None:
    """The table, the statement and the bundle come first; the others are folded.

    The name of the table is in the names of the files, and the typed name takes its place. A
    typed path is no path any more. The name is there again after another page.
    """
    release = draft_of(people).release
    assert release is not None
    day = release.result.certificate.created[:10]
    base = f"our_people_epsilon1_{day}"
    assert names_on(people)[:3] == [f"{base}.csv", f"{base}_statement.txt", f"{base}.zip"]
    assert len(names_on(people)) == len(HANDED_ON) + len(OTHERS)
    labels = [button.label for button in people.get("download_button")]
    assert labels == [label for label, *_ in (HANDED_ON | OTHERS).values()]
    assert f"synth verify {base}.zip" in text_of(people)

    people.text_input(key="file_stem").input("../../Zahlen?").run()
    assert people.text_input(key="file_stem").value == "Zahlen"
    assert names_on(people)[0] == f"Zahlen_epsilon1_{day}.csv"

    go_to(go_to(people, "release"), "download")
    assert names_on(people)[0] == f"Zahlen_epsilon1_{day}.csv"
    people.text_input(key="file_stem").input(" ").run()
    assert names_on(people)[0] == f"{base}.csv"


@pytest.mark.slow
def test_two_releases_of_one_day_have_other_names(people: AppTest) -> None:
    """A second release with the same epsilon has a number in its names, and its repair in the
    list.

    It has other rows: it is drawn by another repair from the same noisy counts.
    """
    first = draft_of(people).release
    assert first is not None
    base = f"our_people_epsilon1_{first.result.certificate.created[:10]}"
    choose(people, repair=Repair.CLAMP)
    press(go_to(people, "release"), "Get the stored release")
    go_to(people, "download")
    releases = draft_of(people).releases
    assert len(releases) == 2
    # Noise decides the first one's repair, but Clamp is only taken if somebody asks for it.
    assert first.repair != Repair.CLAMP
    names = ("Clamp", REPAIRS[first.repair].title)
    options = people.selectbox[0].options
    assert options == [f"{first.title}, drawn by {name}" for name in names]
    assert names_on(people)[:3] == [
        f"{base}_2.csv",
        f"{base}_2_statement.txt",
        f"{base}_2.zip",
    ]
    assert number_among(releases, releases[0]) == 1


def test_releases_of_one_cost_have_labels_of_their_own(people: AppTest) -> None:
    """Those of other days have their days, those of other repairs these, others a number.

    File names do not decide, as they have the day and the table's name, too.
    """
    first = draft_of(people).release
    assert first is not None

    def of_day(day: str) -> Release:
        certificate = replace(first.result.certificate, created=f"{day}T10:00:00+00:00")
        return replace(first, result=replace(first.result, certificate=certificate))

    days = ("2026-11-29", "2026-11-30", "2026-11-30")
    releases = [of_day(day) for day in days]

    assert label_releases([first]) == [first.title]
    assert label_releases(releases) == [
        f"{first.title}, 2026-11-29",
        f"{first.title}, 2026-11-30",
        f"{first.title}, 2026-11-30, number 2",
    ]


def test_the_page_says_by_which_name_the_files_know_the_data(people: AppTest) -> None:
    """The typed name is outside only: certificate and statement have the ledger's one."""
    people.text_input(key="file_stem").input("other").run()
    release = draft_of(people).release
    assert release is not None
    dataset = release.plan.dataset
    assert f"the data is called '{dataset}'" in people.text_input(key="file_stem").help
    assert f"'{dataset}'" in release.files[STATEMENT].read_text()
    assert "other_epsilon" not in release.files[CERTIFICATE].read_text()


def test_every_single_file_is_one_of_the_bundle() -> None:
    """Each file that is offered by itself is a file of every bundle, and has its line."""
    assert set(SINGLE_FILES) < set(RELEASE_FILES)
    assert {*HANDED_ON, *OTHERS} == {*SINGLE_FILES, BUNDLE, CERTIFICATE}


@pytest.mark.slow
def test_vouching_counts_no_rows_and_writes_no_table(
    people: AppTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A steward who vouches gets other words about the same numbers, and no other release.

    Meanwhile the primary button is the one that vouches, afterwards that of the table.
    """

    def fail(*_: object, **__: object) -> None:
        raise AssertionError

    before = draft_of(people).release
    assert before is not None
    monkeypatch.setattr(release_job, "synthesize", fail)
    monkeypatch.setattr("synth.bundle.guard.write_guarded", fail)
    press(people, VOUCH)
    assert error_texts(people) == []
    after = draft_of(people).release
    assert after is not None
    assert after.result.certificate.declaration.taken_is_public
    assert after.files[SYNTHETIC].read_bytes() == before.files[SYNTHETIC].read_bytes()
    assert verify(after.files[BUNDLE], people.session_state["ledger"]).verdict == "confirmed"
    assert VOUCH not in [button.label for button in people.button]


@pytest.mark.slow
def test_vouching_that_fails_leaves_the_release_as_it_was(
    people: AppTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If the disk is full while files are written anew, the old ones stay, unvouched."""

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    before = draft_of(people).release
    monkeypatch.setattr("synth.bundle.archive._zip", full)
    press(people, VOUCH)
    assert len(error_texts(people)) == 1
    assert draft_of(people).release is before
    assert VOUCH in [button.label for button in people.button]
