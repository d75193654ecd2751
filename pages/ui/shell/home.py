"""What outlives the app: its ledger, its projects, the last plan of every table it released.

It is stored in ``SYNTH_HOME``, by default the platform's folder for a user's data. All users of a
server share it, signed in or not: to the people in a table it is all one who releases it, so its
budget has one ledger. A table is recognised by a digest under the ledger's key, so that only who
has the table finds its releases. The names of the datasets, and what was spent on each, are for
all to see: a new table may be about the same people. Projects are each owner's, uploads and opened
bundles each session's own.
"""

import json
from pathlib import Path
from typing import Any

from synth.bundle import replace_file
from synth.door import Ledger, standard
from synth.errors import LedgerError, SynthError
from synth.foreign import home_folder
from synth.util import read_json


def folder() -> Path:
    """The folder, made where it is absent.

    Raises:
        LedgerError: It cannot be made.
    """
    path = place()
    try:
        (path / "plans").mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError:
        raise LedgerError(
            f"The ledger cannot be kept in '{path}'; set SYNTH_HOME to another folder."
        ) from None
    return path


def place() -> Path:
    """Where the folder is, made or not."""
    return home_folder()


def open_ledger(by: str = "") -> Ledger:
    """The ledger of this machine's user; on a shared server it notes ``by`` whom it is used.

    Raises:
        LedgerError: It cannot be opened, or was edited.
    """
    return Ledger(folder() / "ledger.db", by=by)


def remember(table: str, plan: dict[str, Any]) -> None:
    """Store the plan of a table, by its keyed digest; a plan that cannot be stored is no loss."""
    try:
        path = folder() / "plans" / f"{table}.json"
        replace_file(path, lambda part: part.write_text(json.dumps(plan), "utf-8"), private=True)
    except SynthError:
        return


def remembered(table: str) -> dict[str, Any] | None:
    """The last plan of a table, if it was released here before."""
    try:
        text = (folder() / "plans" / f"{table}.json").read_text(encoding="utf-8")
        plan = read_json(text, "The plan")
    except (OSError, ValueError):
        return None
    return plan if isinstance(plan, dict) else None


def people_of(ledger: Ledger, title: str, table: str, plan: dict[str, Any]) -> str:
    """Whose data a table is, as far as the ledger can tell: the name of a dataset.

    Empty where the steward must say: the ledger has datasets, and none of them is this table's
    or has its name. Only an empty ledger gets a name that is made of the file's.

    Args:
        ledger: The ledger.
        title: The name of the file.
        table: Its `fingerprint` in the ledger.
        plan: The last plan of the table here.
    """
    there, stem = ledger.datasets(), standard(Path(title).stem)
    named = [standard(str(plan.get("dataset", ""))), *reversed(ledger.known_as(table))]
    for name in (*named, standard(title), stem):
        if name in there:
            return name
    return "" if there else stem
