"""Databases that whoever runs the server names: picked by name, and nothing else is
reached.
"""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from pages.ui.data import databases
from synth.errors import ArgumentError, TableError
from synth.plans import Projects
from synth.private.table import named_sources, open_source_table, source_address
from tests.app.steward import draft_of, press, text_of, visit
from tests.processes import is_alive
from tests.table.silent_driver import use_silent_driver


@pytest.fixture
def registry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A source called registry, and a file beside it that is none."""
    for name in ("registry", "other"):
        with closing(sqlite3.connect(tmp_path / f"{name}.sqlite")) as file:
            file.execute("CREATE TABLE visits (sex TEXT, age INT)")
            file.execute("CREATE TABLE secret (word TEXT)")
            file.executemany("INSERT INTO visits VALUES (?, ?)", [("f", 41), ("m", 35)] * 20)
            file.commit()
    path = tmp_path / "registry.sqlite"
    monkeypatch.setenv("SYNTH_SOURCES", f"registry={path}; ")
    monkeypatch.setenv("SYNTH_HOME", str(tmp_path / "home"))
    return path


def test_a_table_is_picked_and_known_by_names_alone(registry: Path) -> None:
    """A table of a database is chosen by name; pages show the names of source and table,
    never the address. The source is an SQLite file with two tables, of which visits has 40
    rows.
    """
    app = press(visit(), "Show its tables")
    tables = next(box for box in app.selectbox if box.label == "Table")
    assert tables.options == ["visits", "secret"]

    app = press(app, "Use this table")
    assert not app.exception
    source = draft_of(app).source
    assert source is not None
    assert source.table.header == ("sex", "age")
    assert (source.title, source.rows) == ("registry: main.visits", 40)

    # The text of the page also lists kinds of files, among them SQLite.
    for text in (source.place, source.table.database, str(source.table.path), text_of(app)):
        assert str(registry.parent) not in text
        assert "sqlite" not in text.lower().replace("sqlite, duckdb", "")


@pytest.mark.parametrize(
    "place",
    [
        "source://other?table=main.visits",
        "source://registry?table=main.nothing",
        "source://registry?table=other.visits",
        'source://registry?table=main."visits""; DROP TABLE visits"',
        "postgresql://db.example/clinic?table=public.visits",
        "postgresql://registry?table=main.visits",
        "file:///etc/passwd?table=main.visits",
        "source://../other.sqlite?table=main.visits",
        "source:///etc/passwd?table=main.visits",
        "visits",
    ],
)
def test_nothing_else_is_reached(
    registry: Path, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only a table that the server's source offers is opened, whatever address a session or a
    project names. Opening is disabled here, so an address that got through would fail with
    another error. No error names the folder of the database.
    """
    monkeypatch.setattr("synth.private.table.sources.open_table", None)
    with pytest.raises((TableError, ArgumentError)) as error:
        open_source_table(place)
    assert str(registry.parent) not in str(error.value)


@pytest.mark.usefixtures("registry")
def test_a_forged_state_gets_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    """If the page offers a table that the source does not have, choosing it gives one
    sentence and no table. The list of tables is forged here.
    """
    monkeypatch.setattr(databases, "list_source", lambda _: [("main", "nothing")])
    app = press(press(visit(), "Show its tables"), "Use this table")
    assert draft_of(app).source is None
    assert "offers no table 'main.nothing'" in text_of(app)


def test_a_database_that_falls_silent_gets_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A database that stops answering is given up after the time limit, here 1 second.

    The page shows one sentence without the address, and the process of the database driver is
    ended.
    """
    driver = use_silent_driver(tmp_path / "packages", monkeypatch)
    monkeypatch.setenv("SYNTH_DATABASE_SECONDS", "1")
    monkeypatch.setenv("SYNTH_SOURCES", "clinic=postgresql://steward@db.example/clinic")

    app = press(visit(), "Show its tables")
    assert "sent nothing of 'the list of tables' for 1 seconds" in text_of(app)
    assert "db.example" not in text_of(app)
    assert not is_alive(driver.process())


def test_sources_that_are_written_wrongly_name_no_address(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A source that is written wrongly, or holds a password, is refused without showing its
    address. The password of these addresses is `word`.
    """
    for text in (
        "clinic",
        "=postgresql://u:word@db/c",
        "a=x.db;a=y.db",
        "a=postgresql://h/d?table=t",
    ):
        monkeypatch.setenv("SYNTH_SOURCES", text)
        with pytest.raises(
            ArgumentError, match="of SYNTH_SOURCES is not NAME=ADDRESS"
        ) as error:
            named_sources()
        assert "word" not in str(error.value)

    monkeypatch.setenv("SYNTH_SOURCES", "a=postgresql://u:word@db/c")
    with pytest.raises(ArgumentError, match="must not hold a password") as error:
        open_source_table(source_address("a", "public", "t"))
    assert "word@" not in str(error.value)


def test_without_sources_nothing_is_offered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SYNTH_SOURCES", raising=False)
    assert not [button for button in visit().button if button.label == "Show its tables"]


def test_a_project_keeps_names_and_finds_its_table_again(
    registry: Path, tmp_path: Path
) -> None:
    """The app remembers a table of a database by the names of source and table.

    No file of the home holds the path of the database. No project is saved yet, because
    nothing was chosen but a table.
    """
    app = press(press(visit(), "Show its tables"), "Use this table")
    started = draft_of(app)
    assert started.source is not None
    assert started.source.place == source_address("registry", "main", "visits")

    assert Projects(tmp_path / "home" / "projects", "").listed().projects == ()
    for path in (tmp_path / "home").rglob("*"):
        if path.is_file():
            assert str(registry).encode() not in path.read_bytes()
