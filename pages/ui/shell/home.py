"""Data that outlives the app: its ledger, its projects, the last plan of every released
table.

It is in ``SYNTH_HOME``, by default the platform's folder for user data. All users of a server
share one ledger, signed in or not: a table has one budget for all. A table is recognised by a
digest under the ledger's key, so only its holder finds its releases. Everybody sees the names
of datasets and their spends: a new table may be about the same people. Projects belong to
their owner, uploads and opened bundles to their session."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from synth.door import Ledger, home_ledger, standard
from synth.errors import SynthError
from synth.util import Protection, home_folder, read_json


def folder() -> Path:
    """Return the folder of lasting data, and make it if needed.

    Only its owner can read it. LedgerError if it cannot be made.
    """
    return home_ledger().parent


def place() -> Path:
    """Return the path of the folder, which may not exist yet."""
    return home_folder()


def open_ledger(by: str = "") -> Ledger:
    """Return the ledger of this machine.

    On a shared server it records the user ``by`` with each entry.

    Raises:
        LedgerError: It cannot be opened, or was edited.
    """
    return Ledger(home_ledger(), by=by, signed_in=bool(by))


@dataclass(frozen=True)
class Remembered:
    """The last release of a table, as far as it is stored here.

    Attributes:
        plan: Its plan as a JSON object.
        options: The options by which the steward had the file read (`parse_format`).
    """

    plan: dict[str, Any]
    options: tuple[str, ...]


def remember(table: str, plan: dict[str, Any], options: Sequence[str]) -> None:
    """Store the plan of a release under the keyed digest of its table; a failure is ignored.

    The plan is a convenience: without it the table's declaration must be made again.

    Args:
        table: The keyed digest of the table.
        plan: The plan as a JSON object.
        options: The options by which the file is read.
    """
    content = {"plan": plan, "options": [*options]}
    try:
        path = _plan_file(table)
        path.parent.mkdir(exist_ok=True, mode=0o700)
        protection = Protection(overwrite=True)
        protection.write_file(
            path, lambda part: part.write_text(json.dumps(content), "utf-8"), private=True
        )
    except (OSError, SynthError):
        return


def recall_plan(table: str) -> Remembered | None:
    """Return the stored plan of a table, and how its file was read; None without them.

    ``table`` is the keyed digest of the table.
    """
    try:
        text = _plan_file(table).read_text(encoding="utf-8")
        content = read_json(text, "The plan")
    except (OSError, ValueError):
        return None
    match content:
        case {"plan": dict(plan), "options": list(options)}:
            return Remembered(plan, tuple(map(str, options)))
    return None


def _plan_file(table: str) -> Path:
    """Return the path of the stored plan of a table, which may not exist yet."""
    return folder() / "plans" / f"{table}.json"


def people_of(ledger: Ledger, title: str, table: str, *, plan: dict[str, Any]) -> str:
    """Return the dataset of a table, as far as the ledger knows it.

    A table that the ledger does not know gets the name of its file, which the user may
    change: an updated table is about people that the ledger has under another name.

    Args:
        ledger: The ledger.
        title: The table's name, such as that of its file.
        table: The keyed digest of the table.
        plan: Its stored plan as a JSON object; empty without one.
    """
    datasets = ledger.datasets()
    # `standard` gives the spelling in which the ledger compares names.
    stem = standard(Path(title).stem)
    # The likeliest first: the plan's name, then the latest one of this very table.
    likely_names = [standard(str(plan.get("dataset", ""))), *reversed(ledger.known_as(table))]
    for name in (*likely_names, standard(title), stem):
        if name in datasets:
            return name
    return stem
