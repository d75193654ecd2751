"""What a drafted column loses: rows with other values, and values that no row has. PUBLIC.

>>> loss = Loss(other=0.33)
>>> loss.is_large, loss.in_words, loss.offer
(True, '33 % of its rows would come out as (other)', 'Keep (other)')
>>> Loss(values=949, occurring=161).in_words
'949 values are possible, and 161 occur'
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from shlex import quote
from typing import NamedTuple

from synth.errors import name_some
from synth.util import Json, write_share

# A person decides about a column that loses a larger share of its rows.
LARGE_LOSS = 0.01
# Values are said to be unused if at most this share of the possible ones occur.
FEW_USED = 0.5
# Most columns that a sentence names.
NAMED_COLUMNS = 10


class _Fate(NamedTuple):
    """What becomes of some values.

    Attributes:
        share: The share of rows that have such a value.
        values: Which values they are.
        result: How they come out.
        offer: What a person presses to agree to it.
    """

    share: float
    values: str
    result: str
    offer: str


@dataclass(frozen=True, kw_only=True)
class Loss:
    """The rows whose value a drafted column changes, and its values that no row has.

    Blank cells and texts for missing values are not lost.

    Attributes:
        other: The share of rows with a value that comes out as (other).
        missing: The share of rows with a value that comes out as missing.
        outside: The share of rows with a value beyond the bounds, which becomes the nearest.
        values: The number of whole numbers between the bounds; 0 for other columns.
        occurring: The number of values that rows have, if `values` is not 0.
        unlisted: The number of different values that a list lacks; 0 without a list.
    """

    other: float = 0.0
    missing: float = 0.0
    outside: float = 0.0
    values: int = 0
    occurring: int = 0
    unlisted: int = 0

    @property
    def share(self) -> float:
        """The share of rows whose value is lost."""
        return self.other + self.missing + self.outside

    @property
    def is_large(self) -> bool:
        """Whether so many rows lose their value that a person has to agree."""
        return self.share > LARGE_LOSS

    @property
    def unused(self) -> int:
        """The number of possible values that no row has; 0 if many of them occur."""
        has_few_used = self.values > 1 and self.occurring <= FEW_USED * self.values
        return self.values - self.occurring if has_few_used else 0

    @property
    def _fates(self) -> tuple[_Fate, ...]:
        """What becomes of the values that are lost, each with its share of the rows."""
        return (
            _Fate(
                share=self.other,
                values="values that are not listed",
                result="as (other)",
                offer="Keep (other)",
            ),
            _Fate(
                share=self.missing,
                values="values of another form",
                result="as missing",
                offer="Keep, others as missing",
            ),
            _Fate(
                share=self.outside,
                values="values beyond the bounds",
                result="as the nearest bound",
                offer="Keep the bounds",
            ),
        )

    @property
    def _main_fate(self) -> _Fate:
        """What becomes of most lost values; the first of those that are as frequent."""
        return max(self._fates, key=lambda fate: fate.share)

    @property
    def in_words(self) -> str:
        """What is lost, to continue a sentence about the column; empty if little is."""
        parts = []
        if self.is_large:
            parts += [
                f"{write_share(fate.share)} of its rows would come out {fate.result}"
                for fate in self._fates
                if fate.share
            ]
        if self.unused:
            parts.append(f"{self.values:,} values are possible, and {self.occurring:,} occur")
        return "; ".join(parts)

    @property
    def fate(self) -> str:
        """What becomes of most lost values, for the record of who agreed to it."""
        return f"{self._main_fate.values} come out {self._main_fate.result}"

    @property
    def offer(self) -> str:
        """What a person presses to agree."""
        return self._main_fate.offer


NO_LOSS = Loss()


def say_how_to_agree(names: Sequence[str]) -> str:
    """Return how to agree to what columns lose, on the command line and in Python.

    Args:
        names: The columns to decide, at least one.
    """
    named = name_some([f"'{name}'" for name in names], NAMED_COLUMNS)
    they = "it stays" if len(names) == 1 else "they stay"
    return (
        f"Nobody agreed to what {named} would lose, so {they} out. To agree: --agree "
        f"{quote(names[0])}, or --agree all (in Python agree=[{names[0]!r}], or agree=True). "
        "Otherwise describe the column yourself."
    )


def say_missing(
    missing_values: Sequence[str], fields: Iterable[Mapping[str, Json]] = ()
) -> str:
    """Return sentences on what counts as a missing value, in all columns or in some.

    Args:
        missing_values: The spellings; the empty one is that of an empty cell.
        fields: The fields of the columns; some may have spellings of their own.

    >>> say_missing(["", "NA"])
    "Besides an empty cell, these texts count as missing in all columns: 'NA'."
    >>> say_missing([""], [{"name": "edu", "missingValues": ["", "8", "9"]}])
    "Only an empty cell counts as missing, but in 'edu': 8, 9."
    """
    lists = [
        f"'{field['name']}': {', '.join(spellings)}"
        for field in fields
        if (spellings := [text for text in listed_texts(field, "missingValues") if text])
    ]
    of_single_columns = "; ".join(lists[:NAMED_COLUMNS])
    if len(lists) > NAMED_COLUMNS:
        of_single_columns += f"; and in {len(lists) - NAMED_COLUMNS:,} more columns"
    but = f", but in {of_single_columns}" if lists else ""
    texts = [f"'{text}'" for text in missing_values if text]
    if not texts:
        return f"Only an empty cell counts as missing{but}."
    where = "in columns without texts of their own" if lists else "in all columns"
    listing = f"these texts count as missing {where}: {', '.join(texts)}"
    return f"Besides an empty cell, {listing}{but}."


def listed_texts(field: Mapping[str, Json], key: str) -> list[str]:
    """Return the texts that a field lists under a key, without their labels.

    >>> listed_texts({"synth:signs": [{"value": "<5", "label": "low"}, ">9"]}, "synth:signs")
    ['<5', '>9']
    """
    entries = field.get(key)
    return [
        str(entry.get("value") if isinstance(entry, Mapping) else entry)
        for entry in (entries if isinstance(entries, list | tuple) else ())
    ]


def say_losses(losses: Mapping[str, Loss]) -> list[str]:
    """Return sentences on large losses that a person agreed to, and on unused values.

    Args:
        losses: The losses of the columns that take part, by name.
    """
    notes = []
    large_losses = [
        f"'{name}' in {write_share(loss.share)} of the rows"
        for name, loss in losses.items()
        if loss.is_large
    ]
    if large_losses:
        notes.append(
            "Values that the draft does not describe come out as (other) or missing, or as "
            f"the nearest bound: {'; '.join(large_losses)}."
        )
    unused = [
        f"'{name}' allows {loss.values:,} values, and {loss.occurring:,} occur"
        for name, loss in losses.items()
        if loss.unused
    ]
    if unused:
        notes.append(f"Synthetic rows may hold values that no row has: {'; '.join(unused)}.")
    return notes
