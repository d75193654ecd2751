"""The path box: only files below the folders that whoever runs the server names."""

import os
import tempfile
from pathlib import Path

import pytest

from pages.ui.shell import folders
from synth.errors import TableError
from tests.app.steward import draft_of, text_of, use_file, visit
from tests.app.test_gate import User, visit_as


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A named folder with a table, and secrets beside it."""
    (tmp_path / "data" / ".streamlit").mkdir(parents=True)
    (tmp_path / "data" / "t.csv").write_text("sex\nF\n")
    (tmp_path / "data" / ".streamlit" / "secrets.toml").write_text("cookie_secret\nx\n")
    (tmp_path / "secrets.toml").write_text("cookie_secret\nx\n")
    monkeypatch.setenv("SYNTH_FOLDERS", str(tmp_path / "data"))
    monkeypatch.setenv("SYNTH_HOME", str(tmp_path / "data" / "home"))
    return tmp_path / "data"


def refusal_of(text: str | Path) -> str:
    """Return the sentence that refuses to open a path."""
    with pytest.raises(TableError) as error:
        folders.resolve_path(str(text))
    return str(error.value)


def test_files_below_a_named_folder_are_opened(data: Path) -> None:
    """A file below the named folder is opened by its absolute path, or by its path in that
    folder. Blanks and steps such as `..` do not matter if the path ends below the folder.
    """
    assert folders.resolve_path(str(data / "t.csv")) == data / "t.csv"
    assert folders.resolve_path("t.csv") == data / "t.csv"
    assert folders.resolve_path(f" {data}/../data/./t.csv ") == data / "t.csv"
    assert folders.resolve_path(str(data)) == data


@pytest.mark.parametrize(
    "text",
    [
        "{data}/../secrets.toml",
        "../secrets.toml",
        "{data}x/t.csv",
        "/etc/passwd",
        "/proc/self/environ",
        "~/.ssh/id_rsa",
        "~nobody-at-all/x",
        "{data}/.streamlit/secrets.toml",
        ".streamlit/secrets.toml",
        "{data}/home/ledger.db",
        "home/ledger.db.key",
        "t\0.csv",
        "{data}/" + "x" * 5000,
        "//evil.example/share/t.csv",
        "\\\\evil.example\\share",
    ],
)
def test_files_outside_named_folders_are_not_opened(data: Path, text: str) -> None:
    """No path leads out of the named folder, to a hidden file, or to the ledger of Synth.

    Such a file is refused although it exists. Odd paths that no system knows count as
    missing.
    """
    (data / "home").mkdir()
    # Synth's own files are in its home, which is below the named folder here.
    for name in ("ledger.db", "ledger.db.key"):
        (data / "home" / name).write_text("key\n1\n")

    sentence = refusal_of(text.format(data=data))
    # Names of network shares, or with a zero byte, may be missing files on this system.
    missing = sentence.startswith("There is no file ") and ("evil" in text or "\0" in text)
    assert missing or sentence.endswith(
        "is not opened: only files below the folders named in SYNTH_FOLDERS are, and none "
        "that is hidden or Synth's own."
    )


def test_links_are_followed_before_the_check(data: Path) -> None:
    """A link counts as the file that it leads to.

    Links that leave the folder or lead to hidden files are refused, and a link within the
    folder is opened.
    """
    (data / "out.csv").symlink_to(data.parent / "secrets.toml")
    (data / "up").symlink_to(data.parent)
    (data / "hidden.csv").symlink_to(data / ".streamlit" / "secrets.toml")
    (data / "inside.csv").symlink_to(data / "t.csv")
    (data / "loop").symlink_to(data / "loop")

    for name in ("out.csv", "up", "up/secrets.toml", "hidden.csv"):
        assert "is not opened" in refusal_of(data / name), name
    assert "There is no file" in refusal_of(data / "loop")
    assert folders.resolve_path(str(data / "inside.csv")) == data / "t.csv"


def test_parts_of_a_folder_lead_nowhere_else(data: Path) -> None:
    """A folder of Parquet files is refused if one of its parts is a link that leaves the
    named folder.
    """
    (data / "parts").mkdir()
    (data / "parts" / "a.parquet").write_bytes(b"PAR1")
    assert folders.resolve_path("parts") == data / "parts"

    (data.parent / "other.parquet").write_bytes(b"PAR1")
    (data / "parts" / "b.parquet").symlink_to(data.parent / "other.parquet")
    assert "is not opened" in refusal_of("parts")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes on this system")
def test_a_pipe_is_not_waited_for(data: Path) -> None:
    os.mkfifo(data / "pipe.csv")
    assert "is not opened" in refusal_of("pipe.csv")


def test_uploads_of_other_sessions_are_synths_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """An upload of another session cannot be opened by its path.

    Synth keeps uploads in temporary folders whose names begin with `synth-`; here the folder
    above them is allowed.
    """
    monkeypatch.setenv("SYNTH_FOLDERS", tempfile.gettempdir())
    with tempfile.TemporaryDirectory(prefix="synth-1-") as folder:
        upload = Path(folder) / "t.csv"
        upload.write_text("sex\nF\n")
        assert "is not opened" in refusal_of(upload)


def test_a_folder_that_is_a_link_itself_may_be_named(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SYNTH_FOLDERS may name a folder by a link, and may hold entries that are empty or
    absent. Files are then found by the link, by the real path, and by name.
    """
    (data.parent / "link").symlink_to(data)
    folder_list = os.pathsep.join(
        (str(data.parent / "absent"), str(data.parent / "link"), "")
    )
    monkeypatch.setenv("SYNTH_FOLDERS", folder_list)
    assert folders.resolve_path(str(data.parent / "link" / "t.csv")) == data / "t.csv"
    assert folders.resolve_path(str(data / "t.csv")) == data / "t.csv"
    assert folders.resolve_path("t.csv") == data / "t.csv"


def test_without_a_folder_the_box_is_off(monkeypatch: pytest.MonkeyPatch) -> None:
    """If the server names no folder, no path is opened, and the page has no box for one."""
    monkeypatch.delenv("SYNTH_FOLDERS")
    assert refusal_of("t.csv") == folders.OFF
    app = visit()
    assert [box.key for box in app.text_input] == []


def test_signed_in_it_is_off_unless_a_folder_is_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """For a signed-in user, too, the page has no box for paths if the server names
    no folder.
    """
    ann = User({"email": "ann@example.org", "email_verified": True})
    monkeypatch.delenv("SYNTH_FOLDERS")
    assert not visit_as(monkeypatch, ann, "ann@example.org").text_input


def test_the_page_says_why_a_file_is_not_opened(data: Path) -> None:
    """The page refuses a link that leaves the folder and keeps no table of it.

    If a table that was opened is replaced by such a link later, the page refuses to read it
    again.
    """
    app = visit()
    (data / "link.csv").symlink_to(data.parent / "secrets.toml")
    use_file(app, "link.csv")
    assert "'link.csv' is not opened" in text_of(app)
    assert draft_of(app).source is None

    use_file(app, "t.csv")
    assert not app.error

    # The file is replaced; another encoding makes the page read it again.
    (data / "t.csv").unlink()
    (data / "t.csv").symlink_to(data.parent / "secrets.toml")
    app.selectbox(key="format encoding").set_value("latin-1").run()
    assert "is not opened" in text_of(app)
    assert draft_of(app).source.table.header == ("sex",)
