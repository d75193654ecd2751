"""What a declaration alone says against a column, before any row is looked at.

A name alone decides nothing: what the column holds does.

>>> from synth.domain import Categorical, Integer
>>> find_misfit("email", None)
'sounds like a key or contact: see what it holds'
>>> find_misfit("code", Categorical(name="code", categories=tuple(map(str, range(900)))), rows=1000)
'lists 900 values for 1,000 rows: nearly every row would stand alone'
>>> find_misfit("age", Integer(name="age", minimum=0, maximum=99), rows=1000)
''
"""

import re

from synth.domain.column import Column

KEY_WORDS = frozenset(
    "id ids pid nbr uuid guid key pk ssn sin nin nhs iban passport license licence email mail "
    "phone telephone tel mobile fax url ip mac imei vin serial serialno username "
    "login password hash token".split()
)
"""Words in the names of columns that tell rows or people apart."""

NUMBER_WORDS = frozenset("nr no num number code record case index".split())
"""Words that say so where nearly all values differ."""

TEXT_WORDS = frozenset(
    "name firstname lastname surname fullname address street comment comments note notes remark "
    "remarks text description freetext memo feedback message".split()
)
"""Words in the names of columns that hold what somebody wrote."""

MIN_ROWS_PER_VALUE = 5
"""Fewer rows than this for each listed value, and noise hides nearly all of them."""

MAX_KEY_VALUES = 1_000
"""A column that is cut into fewer bins than values is a measure, and rarely a key, up to here."""


def find_misfit(name: str, column: Column | None, *, rows: int = 0, text: bool = False) -> str:
    """Why a column is unfit for a synthetic table, in a few words; empty if nothing says so.

    Args:
        name: The column's name.
        column: Its declaration; None while there is none.
        rows: About how many rows the table has, by the steward; 0 where that is not said.
        text: Whether it is declared to be text without a list of categories.
    """
    if text:
        return "is text without a list of categories: list them, or leave it out"
    listed = 0 if column is None else column.list_size
    if rows and listed and rows < MIN_ROWS_PER_VALUE * listed:
        return f"lists {listed:,} values for {rows:,} rows: {_crowd(rows, listed)}"
    if column is not None and column.values < MAX_KEY_VALUES:
        return ""
    sounds = _by_name(name)
    what = "see what it holds" if column is None else "leave it out"
    return f"{sounds}: {what}" if sounds else ""


def sounds_like_key(name: str) -> bool:
    """Whether a name has a word of those of keys; no reason to leave a column out by itself."""
    return bool(_words(name) & (KEY_WORDS | NUMBER_WORDS))


def _crowd(rows: int, listed: int) -> str:
    if rows < 2 * listed:
        return "nearly every row would stand alone"
    return f"about {rows // listed} rows each, which noise hides"


def _by_name(name: str) -> str:
    if _words(name) & KEY_WORDS:
        return "sounds like a key or contact"
    return "sounds like names or free text" if _words(name) & TEXT_WORDS else ""


def _words(name: str) -> set[str]:
    return {word.lower() for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", name)}
