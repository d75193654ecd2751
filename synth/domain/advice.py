"""Reasons against a column, from its declaration alone, before any row is read.

A name alone decides nothing; the content of the column does.

>>> from synth.domain import Categorical, Integer
>>> find_misfit("email", None)
'sounds like a key or contact: look at its values'
>>> find_misfit(
...     "code", Categorical(name="code", categories=tuple(map(str, range(900)))), rows=1000
... )
'lists 900 values for 1,000 rows: nearly every row would be alone'
>>> find_misfit("age", Integer(name="age", minimum=0, maximum=99), rows=1000)
''
"""

import re

from synth.domain.column import Column

# Words in names of columns that identify rows or people.
KEY_WORDS = frozenset(
    "id ids pid nbr uuid guid key pk ssn sin nin nhs iban passport license licence email "
    "mail phone telephone tel mobile fax url ip mac imei vin serial serialno username login "
    "password hash token".split()
)

# Words that do so at the end of a name: "file no", and not "no of children".
NUMBER_WORDS = frozenset("nr no num number index".split())

# Words that do so if nearly all values differ.
RECORD_WORDS = frozenset("code record case".split())

# Words for one person or household at the end of a name; keys of persons may have no other.
PERSON_WORDS = frozenset(
    "patient person customer client member participant respondent subject student pupil "
    "employee worker user household applicant insured tenant donor".split()
)

# Words in names of numbers that are codes, not measures.
CODE_WORDS = frozenset(
    "code codes zip zipcode postcode postal plz district county state region province "
    "country fips puma icd category cat class group type".split()
)

TIME_WORDS = frozenset("time timestamp epoch date".split())

PLACE_WORDS = frozenset(
    "lat latitude lon lng long longitude coord coords coordinate coordinates gps easting "
    "northing".split()
)

NAME_WORDS = frozenset("name firstname lastname surname fullname address street".split())

TEXT_WORDS = NAME_WORDS | frozenset(
    "comment comments note notes remark remarks text description freetext memo feedback "
    "message".split()
)

# With fewer rows for each listed value, noise hides nearly all values.
MIN_ROWS_PER_VALUE = 5

# Up to this many values, a column with fewer bins than values is a measure and rarely a key.
MAX_KEY_VALUES = 1_000


def find_misfit(
    name: str, column: Column | None, *, rows: int = 0, text: bool = False
) -> str:
    """Say why a column is unfit for a synthetic table, in a few words; empty if it is fit.

    Only the declaration is looked at, never a row.

    Args:
        name: The column's name.
        column: The declaration of the column; None if there is none yet.
        rows: About how many rows the table has, by the steward; 0 if unknown.
        text: Whether it is declared as text without a list of categories.
    """
    if text:
        return "is text without a list of categories: list them, or leave it out"
    if column is not None and column.lacks_values:
        return (
            "lists the values with a label, and whether there are others is to decide: look "
            "at its values, or say that these are all"
        )
    value_count = 0 if column is None else column.list_size
    if rows and value_count and rows < MIN_ROWS_PER_VALUE * value_count:
        return f"lists {value_count:,} values for {rows:,} rows: {_crowd(rows, value_count)}"
    # A column of few possible values identifies nobody, whatever its name.
    if column is not None and column.values < MAX_KEY_VALUES:
        return ""
    sound = _by_name(name)
    if not sound:
        return ""
    advice = "look at its values" if column is None else "leave it out"
    return f"{sound}: {advice}"


def sounds_like_key(name: str) -> bool:
    """Return whether a column's name has a word such as "id", which keys have.

    This alone is no reason to leave the column out.

    >>> [sounds_like_key(name) for name in ("file_no", "no_of_children", "heat index", "pid")]
    [True, False, False, True]
    """
    words = _list_words(name)
    if {*words} & TIME_WORDS:  # a time, such as "record date", is no key
        return False
    if {*words} & (KEY_WORDS | RECORD_WORDS):
        return True
    if not words or words[-1] not in NUMBER_WORDS:
        return False
    # An "index" alone numbers rows; after another word it is a measure.
    return words[-1] != "index" or len(words) == 1


def sounds_like_person(name: str) -> bool:
    """Return whether a column's name ends in a word for one person or household.

    >>> [sounds_like_person(name) for name in ("Patient", "index patient", "patient_sex")]
    [True, True, False]
    """
    words = _list_words(name)
    return bool(words) and words[-1] in PERSON_WORDS


def sounds_like(name: str, words: frozenset[str]) -> bool:
    """Return whether a column's name has one of some words."""
    return bool(_words(name) & words)


def _crowd(rows: int, value_count: int) -> str:
    if rows < 2 * value_count:
        return "nearly every row would be alone"
    return f"about {rows // value_count} rows each, which noise hides"


def _by_name(name: str) -> str:
    """Say what a column's name sounds like; empty if it has no suspicious word."""
    if _words(name) & KEY_WORDS:
        return "sounds like a key or contact"
    return "sounds like names or free text" if _words(name) & TEXT_WORDS else ""


def _words(name: str) -> set[str]:
    return {*_list_words(name)}


def _list_words(name: str) -> list[str]:
    # A capital letter begins a word, and capitals in a row are one: "homeURL" is home, url.
    return [word.lower() for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", name)]
