"""Texts among numbers: missing values, and signs that get a cell of their own. PRIVATE."""

import math
import re
from collections.abc import Collection
from typing import NamedTuple

from synth import limits
from synth.private.counting.missing_texts import (
    ODD_TEXTS,
    READABLE_SHARE,
    STRICT_SHARE,
    split_sure,
)
from synth.private.counting.profiles import Counted, Profile
from synth.private.counting.shapes import are_codes

# A number with a mark of comparison before it, or with a plus behind it: <5, >= 200, 65+.
LIMIT = re.compile(r"([<>≤≥~≈]=?|=[<>])\s*[+-]?[0-9][0-9.,]*|[0-9][0-9.,]*\s*\+")
# Different numbers beside each other sign from which more than `ODD_TEXTS` signs are no list.
NUMBERS_PER_SIGN = 3


class TextsAmong(NamedTuple):
    """The texts among the numbers of a column.

    Attributes:
        missing: Spellings of a missing value.
        signs: Texts of enough rows that are no numbers, most common first.
    """

    missing: tuple[str, ...]
    signs: tuple[str, ...]

    @property
    def described(self) -> tuple[str, ...]:
        """All texts that a draft describes."""
        return (*self.missing, *self.signs)


def split_texts(profile: Profile, missing_elsewhere: Collection[str]) -> TextsAmong | None:
    """Return the missing values and signs among numbers; None if the column holds no numbers.

    A column holds numbers if nearly all rows that are not missing have one. It also does if
    half of them have a number or a limit such as ``<5``, and nearly all others have one of a
    few signs.

    Args:
        profile: The statistics of the column.
        missing_elsewhere: Texts that mean a missing value in other columns.
    """
    values = profile.numbers
    sure, odd = split_sure(values, missing_elsewhere)
    filled = profile.filled_rows - sum(rows for _, rows in sure)
    common = [(text, rows) for text, rows in odd if _may_be_sign(text, rows)]
    common = common[: limits.MAX_SPIKES]
    texts = TextsAmong(
        missing=tuple(text for text, _ in sure), signs=tuple(text for text, _ in common)
    )
    # Beside texts that look like codes, nearly all rows must have a number.
    least_share = STRICT_SHARE if are_codes(profile) else READABLE_SHARE
    if values.rows >= least_share * filled:
        return texts
    limit_rows = sum(rows for text, rows in common if LIMIT.fullmatch(text))
    described_rows = values.rows + sum(rows for _, rows in common)
    are_numbers = (
        # Beside at most two different numbers, a text may be one more value of a list.
        values.different > 2
        and 2 * (values.rows + limit_rows) >= filled
        and described_rows >= least_share * filled
        and _are_few(common, profile)
    )
    return texts if are_numbers else None


def _may_be_sign(text: str, rows: int) -> bool:
    """Return whether a text that is no number can be a sign: short, and of enough rows."""
    if rows < limits.LISTED_ROWS or len(text) > limits.SIGN_LENGTH or not text.isprintable():
        return False
    try:
        # Python reads some texts as numbers that a table does not, such as 1_000.
        return not math.isfinite(float(text))
    except ValueError:
        return True


def _are_few(common: Counted, profile: Profile) -> bool:
    """Return whether signs are few, next to the numbers, so that the column is no list.

    Limits such as ``<5`` are as good as numbers, and do not count.

    Args:
        common: The signs and their rows.
        profile: The statistics of the column.
    """
    signs = [text for text, _ in common if not LIMIT.fullmatch(text)]
    if len(signs) <= ODD_TEXTS:
        return True
    is_list = are_codes(profile)
    return not is_list and NUMBERS_PER_SIGN * len(signs) <= profile.numbers.different
