"""Ledgers of every kind of release, ways to damage them, and what they answer afterwards.

A release is recorded as what was asked of its `Door`: the door is where stored values are
found, or noise is drawn. Asked again of a damaged ledger, it must give the same values, or
refuse."""

import inspect
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any
from unittest.mock import patch

import pytest

from synth.domain import Domain
from synth.domain.building import Integer
from synth.door import Door, Ledger
from synth.errors import SynthError
from synth.estimate import FitCheck
from synth.noise import bits
from synth.plans import Method, Plan
from synth.privacy import ROW, Guarantee
from synth.questions import Inquiry
from synth.spending import ask, check_fit, synthesize
from tests.ledger.ledgers import REPLACE, ledger_with_budget
from tests.tables import write

DOMAIN = Domain(sex=["F", "M"], city=["north", "south", "west"], age=Integer(0, 99, bins=4))
ROWS = [["FM"[i % 2], ("north", "south", "west")[i % 3], str(7 * i % 100)] for i in range(60)]
QUESTIONS = ["count where age >= 50", "table city", "mean age", "median age"]

EARLIER = "CREATE TABLE kept ({}, UNIQUE (spend, part))".format(
    "number INTEGER PRIMARY KEY, spend INTEGER, part TEXT, payload BLOB"
)
"""The table of an earlier version: it has an index, which is damaged as well."""


@dataclass
class Recording:
    """One release: how its door was opened, and what it was asked and gave."""

    words: dict[str, Any]
    calls: list[tuple[str, tuple[Any, ...], dict[str, Any], Any]] = field(
        default_factory=list
    )


def list_ways_out() -> list[str]:
    """The methods by which a door lets anything out; a new one is among them by itself."""
    public = [name for name in vars(Door) if not name.startswith("_")]
    return [name for name in public if inspect.isfunction(vars(Door)[name])]


@contextmanager
def record_doors() -> Iterator[list[Recording]]:
    """Record every door that is opened, and what is asked of it."""
    doors: dict[int, Recording] = {}
    begin = Door.__init__

    def opened(door: Door, *, ledger: Ledger, **words: Any) -> None:
        doors[id(door)] = Recording(words)
        recordings.append(doors[id(door)])
        begin(door, ledger=ledger, **words)

    def noted(name: str) -> Any:
        right = getattr(Door, name)

        def call(door: Door, *arguments: Any, **options: Any) -> Any:
            released = right(door, *arguments, **options)
            doors[id(door)].calls.append((name, arguments, options, released))
            return released

        return call

    recordings: list[Recording] = []
    with pytest.MonkeyPatch.context() as patch:
        for name in list_ways_out():
            patch.setattr(Door, name, noted(name))
        patch.setattr(Door, "__init__", opened)
        yield recordings


def make_ledger(path: Path) -> list[Recording]:
    """Releases of every kind in one ledger, which then gets the index of an earlier
    version.
    """
    source = write(path.with_name("t.csv"), list(DOMAIN.names), ROWS)
    with ledger_with_budget(path, "20") as ledger, record_doors() as recordings:
        dataset_options: Any = {"dataset": "survey", "neighbors": REPLACE}
        for method in (Method.DENSE, Method.ONE_SHOT, Method.ADAPTIVE):
            synthesize(
                Plan(domain=DOMAIN, epsilon=Fraction(2), method=method, **dataset_options),
                source,
                ledger=ledger,
            )
        inquiry = Inquiry.read(
            QUESTIONS, DOMAIN, Guarantee.pure(2), neighbors=REPLACE, dataset="survey"
        )
        ask(inquiry, source, ledger=ledger)
        check_fit(
            FitCheck(
                domain=DOMAIN,
                epsilon=Fraction(1),
                neighbors=REPLACE,
                unit=ROW,
                dataset="survey",
            ),
            source,
            ledger=ledger,
        )
    with closing(sqlite3.connect(path, isolation_level=None)) as file:
        stored = file.execute("SELECT * FROM kept").fetchall()
        file.execute("DROP TABLE kept")
        file.execute(EARLIER)
        file.executemany("INSERT INTO kept VALUES (?, ?, ?, ?)", stored)
    return recordings


@dataclass(frozen=True)
class Answer:
    """What a ledger gives, or the sentence it refuses with."""

    values: str = ""
    refusal: str = ""


def ask_again(path: Path, recordings: list[Recording]) -> list[Answer]:
    """What each release gives again, and the balance at the end, where no noise can be
    drawn.
    """
    with patch.object(bits, "bits", _refuse_noise):
        try:
            with Ledger(path) as ledger:
                balance = Answer(repr(ledger.balance("survey")))
                return [
                    *(_release_again(ledger, recording) for recording in recordings),
                    balance,
                ]
        except SynthError as error:
            return [Answer(refusal=str(error))]


def _release_again(ledger: Ledger, recording: Recording) -> Answer:
    try:
        door = Door(ledger=ledger, **recording.words)
        released = [
            getattr(door, name)(*arguments, **options)
            for name, arguments, options, _ in recording.calls
        ]
        return Answer(repr((released, door.entry)))
    except SynthError as error:
        return Answer(refusal=str(error))


def _refuse_noise(_: int) -> bytes:
    message = "noise is drawn anew for a release that was finished"
    raise AssertionError(message)


# Damage.


def flip_bit(content: bytes, random: Random) -> bytes:
    """One bit flipped: in an index half of the time, else anywhere that is not far from
    empty.
    """
    size = int.from_bytes(content[16:18], "big")
    indexes = [at for at in range(0, len(content), size) if content[at] in (2, 10)]
    damaged = bytearray(content)
    while True:
        start = random.choice(indexes) if random.random() < 0.5 else 0
        at = random.randrange(start, start + size if start else len(content))
        if any(content[max(0, at - 4) : at + 5]):
            damaged[at] ^= 1 << random.randrange(8)
            return bytes(damaged)


def lose_row(path: Path, random: Random) -> None:
    """Take one row out of a table, or out of its indexes alone, as if it had never been
    there.
    """
    table = random.choice(("kept", "kept", "events", "ending"))
    is_index_alone = table == "kept" and random.random() < 0.5
    with closing(sqlite3.connect(path, isolation_level=None)) as file:
        row = random.choice(file.execute(f"SELECT rowid, * FROM {table}").fetchall())
        file.execute(f"DELETE FROM {table} WHERE rowid = ?", row[:1])
        if not is_index_alone:
            return
        schema = file.execute(
            "SELECT * FROM sqlite_master WHERE tbl_name = 'kept'"
        ).fetchall()
        file.execute("PRAGMA writable_schema = ON")
        file.execute("DELETE FROM sqlite_master WHERE type = 'index'")
        shorter = EARLIER.replace(", UNIQUE (spend, part)", "")
        file.execute("UPDATE sqlite_master SET sql = ? WHERE name = 'kept'", (shorter,))
    with closing(sqlite3.connect(path, isolation_level=None)) as file:
        file.execute("INSERT INTO kept VALUES (?, ?, ?, ?)", row[1:])
        file.execute("PRAGMA writable_schema = ON")
        file.execute("DELETE FROM sqlite_master WHERE tbl_name = 'kept'")
        file.executemany("INSERT INTO sqlite_master VALUES (?, ?, ?, ?, ?)", schema)
