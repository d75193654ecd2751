"""Texts among dates or numbers that are none: missing values, and others. PRIVATE.

`signs` tells which of those among numbers get a cell of their own.
"""

from collections.abc import Collection, Sequence

from synth import limits
from synth.drafting import DraftColumn
from synth.private.counting.profiles import Counted, Profile, Readings
from synth.private.counting.shapes import MAYBE, SURE

# Most different texts that may mean missing values among numbers.
ODD_TEXTS = 3
# Characters from which a text is too long to mean a missing value.
LONG_TEXT = 13
# Share of filled rows that must be dates, or numbers.
READABLE_SHARE = 0.8
# That share if the others look like codes.
STRICT_SHARE = 0.999


def leave_out_sparse(name: str, content: str) -> DraftColumn:
    """Return a column that is left out, as it has too few values.

    Args:
        name: The column.
        content: What the values are, in the plural, such as ``dates``.
    """
    few = (
        f"has {content} in fewer than {limits.LISTED_ROWS} rows: it would come out all empty"
    )
    return DraftColumn(field={"name": name}, reason=few, left_out=True)


def fills_all_rows(profile: Profile, values: Readings) -> bool:
    """Return whether all rows have a value that is read in this way."""
    return values.rows == profile.rows


def has_other_texts(profile: Profile, values: Readings, missing: Sequence[str]) -> bool:
    """Return whether some texts are neither read in this way nor missing values."""
    return count_other_rows(profile, values, missing) > 0


def count_other_rows(profile: Profile, values: Readings, missing: Sequence[str]) -> int:
    """Return how many rows have a text that is neither read in this way nor missing.

    Args:
        profile: The statistics of the column.
        values: Those of its texts that are read as numbers, or as dates of one format.
        missing: Texts that mean a missing value.
    """
    missing_rows = sum(rows for text, rows in values.others if text in missing)
    return max(0, profile.filled_rows - values.rows - missing_rows)


def split_sure(
    values: Readings, missing_elsewhere: Collection[str]
) -> tuple[Counted, Counted]:
    """Split the texts that cannot be read into surely missing values, and odd texts.

    Args:
        values: What is known of a column's texts that are dates, or numbers.
        missing_elsewhere: Texts that mean a missing value in other columns.

    Returns:
        Two lists of texts with their rows.
    """
    # Some of the usual spellings could be values elsewhere, but not among dates or numbers.
    sure = [
        (text, rows)
        for text, rows in values.others
        if text in missing_elsewhere or _is_usual(text)
    ]
    return sure, [pair for pair in values.others if pair not in sure]


def own_missing_key(
    missing: Sequence[str], missing_elsewhere: Collection[str]
) -> dict[str, list[str]]:
    """Return the key of a field with missing values of its own; empty if all are usual.

    A code such as 98 means a missing date, and may be a value of any other column.

    Args:
        missing: Texts that mean a missing value in the column.
        missing_elsewhere: Those that mean one in other columns, too.
    """
    usual = {*missing_elsewhere, *(text for text in missing if _is_usual(text))}
    return {} if usual.issuperset(missing) else {"missingValues": ["", *missing]}


def _is_usual(text: str) -> bool:
    """Return whether a text is a known spelling of a missing value."""
    return text.casefold() in SURE | MAYBE


def find_missing_texts(
    profile: Profile, values: Readings, missing_elsewhere: Collection[str]
) -> tuple[str, ...] | None:
    """Return the texts that mean missing values; None if the column holds other texts, too.

    A known spelling of a missing value is one. Up to `ODD_TEXTS` short texts of enough rows
    are too, if at least half of the other rows have a value.

    Args:
        profile: The statistics of the column.
        values: What is known of its texts that are dates, or numbers.
        missing_elsewhere: Texts that mean a missing value in other columns.
    """
    sure, odd = split_sure(values, missing_elsewhere)
    filled = profile.filled_rows - sum(rows for _, rows in sure)
    few = len(odd) <= ODD_TEXTS and all(
        rows >= limits.LISTED_ROWS and len(text) < LONG_TEXT for text, rows in odd
    )
    # Beside at most two different values, an odd text may be one more value. Half of the rows
    # that are not surely missing must have a value.
    if few and values.different > 2 and 2 * values.rows >= filled:
        return tuple(text for text, _ in [*sure, *odd])
    if values.rows >= READABLE_SHARE * filled:
        return tuple(text for text, _ in sure)
    return None
