"""The folder of projects: saved whole or not at all, each owner's own, never written over."""

import os
import stat
import sys
from dataclasses import replace
from pathlib import Path
from unittest.mock import Mock

import pytest

from synth.errors import ProjectError
from synth.plans import KnownTable, OvertakenError, Project, Projects, new_identifier
from tests.processes import run

ANN = "ann@example.org"
BO = "bo@example.org"


def make_project(name: str = "people", mark: str = "") -> Project:
    return Project(
        identifier=new_identifier(),
        name=name,
        table=KnownTable(title="people.csv", mark=mark),
        choices={"epsilon": "1"},
    )


@pytest.fixture
def own_projects(tmp_path: Path) -> Projects:
    """The projects of Ann, in a folder that does not exist yet."""
    return Projects(tmp_path / "projects", ANN)


def test_files_are_for_their_user_alone(own_projects: Projects) -> None:
    """A saved project can be opened again, and no other account can read its folder or file.

    The modes 700 and 600 allow everything to the owner and nothing to others.
    """
    saved = own_projects.save(make_project())
    modes = [
        stat.S_IMODE(path.stat().st_mode)
        for path in (own_projects.folder, *own_projects.folder.iterdir())
    ]
    assert modes == [0o700, 0o600]
    assert saved.revision == 1
    assert saved.changed
    assert own_projects.open(saved.identifier) == saved


def test_a_folder_that_is_open_to_others_is_closed(tmp_path: Path) -> None:
    """If the folder of projects is open to others, the first save closes it."""
    (tmp_path / "projects").mkdir(mode=0o755)
    mine = Projects(tmp_path / "projects", ANN)
    mine.save(make_project())
    assert stat.S_IMODE(mine.folder.stat().st_mode) == 0o700


def test_projects_are_each_owners_own(own_projects: Projects) -> None:
    """Nobody but its owner can list, open or delete a project.

    A stranger, or somebody without a name, can only find it by its table, and only if
    `anybody` allows that. A table without a mark is never found.
    """
    saved = own_projects.save(make_project(mark="ab"))
    for stranger in (Projects(own_projects.folder, BO), Projects(own_projects.folder, "")):
        assert stranger.listed().projects == ()
        assert stranger.of_table("ab", anybody=False) is None
        assert stranger.of_table("", anybody=True) is None
        assert stranger.of_table("ab", anybody=True) == saved
        for act in (stranger.open, stranger.delete):
            with pytest.raises(ProjectError, match="no such project"):
                act(saved.identifier)
    assert own_projects.listed().projects == (saved,)


def test_a_project_is_renamed_and_deleted(own_projects: Projects) -> None:
    """A project can be renamed, but not to blanks, and deleted, which leaves the others."""
    renamed = own_projects.save(make_project())
    deleted = own_projects.save(make_project())
    new_name = own_projects.rename(renamed.identifier, " people of Bonn ").name
    assert new_name == "people of Bonn"
    with pytest.raises(ProjectError, match="needs a name"):
        own_projects.rename(renamed.identifier, " ")

    own_projects.delete(deleted.identifier)
    assert [stored_project.name for stored_project in own_projects.listed().projects] == [
        "people of Bonn"
    ]


def test_the_later_of_two_tabs_is_told(own_projects: Projects) -> None:
    """If a project was saved in another tab since it was opened, saving it is refused.

    The version that was saved first stays.
    """
    opened = own_projects.save(make_project())
    own_projects.save(replace(opened, name="first tab"))
    with pytest.raises(OvertakenError, match="another tab"):
        own_projects.save(replace(opened, name="second tab"))
    assert own_projects.open(opened.identifier).name == "first tab"


def test_a_full_disk_is_one_sentence_and_the_earlier_version_stays(
    own_projects: Projects, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If the disk is full, saving says so in words, and the earlier version stays as it was.

    No partly written file is left in the folder.
    """
    saved = own_projects.save(make_project())

    # `fsync` writes a file to the disk; 28 is the system's number for a full disk.
    monkeypatch.setattr(os, "fsync", Mock(side_effect=OSError(28, "No space left on device")))
    with pytest.raises(ProjectError, match=r"disk may be full\. Its earlier version stays"):
        own_projects.save(replace(saved, name="new"))
    assert [path.suffix for path in own_projects.folder.iterdir()] == [".json"]
    assert own_projects.open(saved.identifier) == saved


# A program that is killed when it has written a project, at the moment of renaming the file.
KILLED = """
import os, signal, sys
from dataclasses import replace
from pathlib import Path
from synth.plans.store import Projects

Path.replace = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
mine = Projects(Path(sys.argv[1]), sys.argv[2])
mine.save(replace(mine.listed().projects[0], name="new"))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="a process is killed by a signal")
def test_a_kill_between_writing_and_renaming_leaves_the_earlier_version(
    own_projects: Projects,
) -> None:
    """A process that is killed while it saves a project leaves the earlier version readable.

    The next save also removes the half-way file. Status -9 is that of SIGKILL.
    """
    saved = own_projects.save(make_project())
    assert run(KILLED, own_projects.folder, ANN).returncode == -9
    assert (own_projects.folder / f"{saved.identifier}.part").exists()
    assert own_projects.listed().projects == (saved,)
    assert own_projects.save(replace(saved, name="new")).name == "new"
    assert [path.suffix for path in own_projects.folder.iterdir()] == [".json"]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ('{"form": "synth-project-9"}', "another version"),
        ('{"form": "synth-project-2"', "not valid JSON"),
    ],
)
def test_a_file_that_is_no_project_is_told_of_and_kept(
    own_projects: Projects, text: str, sentence: str
) -> None:
    """A file in the folder that is no project is listed as trouble, and never overwritten.

    If a tab still has the project open and saves it, the file is renamed to end with .aside.
    """
    saved = own_projects.save(make_project())
    path = own_projects.folder / f"{saved.identifier}.json"
    path.write_text(text)
    listing = own_projects.listed()
    assert listing.projects == ()
    assert len(listing.troubles) == 1
    assert sentence in listing.troubles[0]
    assert f"'{path.name}' stays as it is." in listing.troubles[0]

    own_projects.save(saved)
    aside = next(own_projects.folder.glob("*.aside"))
    assert aside.read_text() == text
    assert own_projects.open(saved.identifier).name == "people"


def test_nothing_outside_the_folder_is_read(own_projects: Projects, tmp_path: Path) -> None:
    """A link out of the folder and a name with a path are refused, so nothing outside is
    read.

    A file whose name is not the identifier of its project is refused as well.
    """
    saved = own_projects.save(make_project())
    path = own_projects.folder / f"{saved.identifier}.json"
    outside_path = tmp_path / "elsewhere.json"
    path.rename(outside_path)
    path.symlink_to(outside_path)
    with pytest.raises(ProjectError, match="cannot be opened"):
        own_projects.open(saved.identifier)

    for name in ("../elsewhere", "", "x"):
        with pytest.raises(ProjectError, match="no such project"):
            own_projects.open(name)

    path.unlink()
    other_identifier = new_identifier()
    outside_path.rename(own_projects.folder / f"{other_identifier}.json")
    with pytest.raises(ProjectError, match="another project"):
        own_projects.open(other_identifier)


def test_a_folder_that_cannot_be_made_is_one_sentence(tmp_path: Path) -> None:
    """If the folder of projects cannot be made, here below a file, the sentence says what to
    set.

    A folder that does not exist yet has no projects, and is no error.
    """
    (tmp_path / "file").write_text("")
    with pytest.raises(ProjectError, match="set SYNTH_HOME to another folder"):
        Projects(tmp_path / "file" / "projects").save(make_project())
    assert Projects(tmp_path / "nowhere").listed().projects == ()
