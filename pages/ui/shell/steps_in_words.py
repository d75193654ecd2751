"""What a step of undo or redo changes, in words such as "age left out"."""

from collections.abc import Mapping
from typing import Any

from pages.ui.shell.numbers import say_count

# Most columns that are named.
NAMED_COLUMNS = 3
# Most changes of one step that are named.
MAX_CHANGES = 2

# Parts of the choices whose change has one name; the others are named by their values.
NAMES = {
    "derived": "derived columns and IDs",
    "missing_values": "spellings of missing values",
    "accepted": "a remark on a column",
    "withheld": "whether names of left-out columns are public",
    "decisions": "what columns may lose",
    "look": "a decision on a column",
    "proposals": "a relation between columns",
    "look_remarks": "remarks on the columns",
    "notes": "notes on the description",
    "origin": "the origin of the description",
    "delta": "delta",
    "method": "the method",
    "neighbors": "what the guarantee compares",
    "repair": "the repair of negative counts",
    "groups": "the groups of columns",
    "rules": "impossible combinations",
    "public": "the public table",
    "favour": "what rows are fitted to",
    "predict": "the column that matters most",
    "moments": "sums to measure",
    "max_model_mb": "the memory of the model",
    "rows": "the number of synthetic rows",
    "about_rows": "the rough number of rows",
    "budget": "the first budget",
    "person": "whose row it is",
    "max_rows": "the rows of one person that count",
}


def name_change(before: Mapping[str, Any], after: Mapping[str, Any]) -> str:
    """Return in words what differs between two states of the choices.

    Args:
        before: The choices by name, with the ``source``.
        after: The choices after the change.
    """
    source, new_source = before["source"], after["source"]
    if source and new_source and source.table is not new_source.table:
        return "how the file is read"
    if source and new_source and source.people != new_source.people:
        return f"whose data it is, {new_source.people or 'nobody said'}"
    changes = (
        _name_columns(after["left_out"] - before["left_out"], "left out"),
        _name_columns(before["left_out"] - after["left_out"], "taken in"),
        _name_columns(_described_anew(before, after), "described"),
        _name_epsilon(before, after),
    )
    named = [change for change in changes if change]
    named = named or [
        name
        for part, name in NAMES.items()
        if not is_same_choice(part, before[part], after[part])
    ]
    return " and ".join(named[:MAX_CHANGES]) or "the last choice"


def is_same_choice(part: str, old: Any, new: Any) -> bool:
    """Return whether a choice is the same in two states.

    ``part`` is its name. A public table holds arrays and is compared by identity.
    """
    return old is new or (part != "public" and bool(old == new))


def _described_anew(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
    """Return the columns whose description changed."""
    fields = {new["name"]: new for new in before["fields"]}
    return [new["name"] for new in after["fields"] if fields.get(new["name"]) != new]


def _name_columns(names: Any, event: str) -> str:
    """Return the columns with what happened to them; empty without any.

    ``names`` are the columns, ``event`` is such as "left out".
    """
    if not names:
        return ""
    if len(names) > NAMED_COLUMNS:
        return f"{say_count(len(names), 'column')} {event}"
    return f"{' and '.join(sorted(names))} {event}"


def _name_epsilon(before: Mapping[str, Any], after: Mapping[str, Any]) -> str:
    """Return the new epsilon with its name; empty if it did not change."""
    is_same = before["epsilon"] == after["epsilon"]
    return "" if is_same else f"epsilon {after['epsilon']}"
