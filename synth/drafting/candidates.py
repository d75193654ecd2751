"""Lists that a draft may find; searching declared lists costs no delta. PUBLIC.

Nothing in here comes from a table. Unlisted values need enough rows.

>>> Candidates.from_json({"grade": ["low", "high"], "*": ["other"]}).list_values("grade")[:3]
('low', 'high', 'other')
>>> "yes" in Candidates().list_values("any"), "NA" in MISSING
(True, True)
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Self

from synth import limits
from synth.domain import MONTH_NAMES, WEEKDAYS, FrozenMap
from synth.errors import ArgumentError
from synth.foreign import read_file
from synth.util import Json, read_json

# Spellings of a missing value, except the empty cell.
MISSING = tuple("NA N/A n/a na NaN nan NULL Null null #N/A ? . - -- missing Missing".split())

# Numbers that often mean no value.
SENTINELS = tuple(
    int(text)
    for text in "-1 -7 -8 -9 -77 -88 -97 -98 -99 -999 -9999 -99999 77 88 97 98 99 777 888 "
    "997 998 999 7777 8888 9997 9998 9999 99999 999999 9999999 99999999".split()
)

_CASED = "yes no true false male female unknown other none never always".split()
_PAIRS = "Y N y n M F m f T F t f U u X x A B C D E S Q".split()
_OTHERS = (
    "high medium low small large left right married single divorced widowed separated".split()
)
_CALENDAR = (*WEEKDAYS, *MONTH_NAMES)
_NAMES = [*_CASED, *_CALENDAR, *_OTHERS, *(name[:3] for name in _CALENDAR)]
# Values of many tables, in their usual spellings.
COMMON_TEXTS = tuple(
    dict.fromkeys(
        [*_PAIRS, *(way(n) for n in _NAMES for way in (str.lower, str.capitalize, str.upper))]
    )
)

# Formats in one line may fit the same text, such as 3/4/2024.
DATES = (
    ("%Y-%m-%d",),
    ("%d.%m.%Y",),
    ("%d/%m/%Y", "%m/%d/%Y"),
    ("%d-%m-%Y", "%m-%d-%Y"),
    ("%Y/%m/%d",),
    ("%d.%m.%y",),
    ("%d/%m/%y", "%m/%d/%y"),
    ("%d-%m-%y", "%m-%d-%y"),
    ("%d-%b-%Y", "%d-%B-%Y"),
    ("%d-%b-%y", "%d-%B-%y"),
    ("%d %b %Y", "%d %B %Y"),
    ("%b %d, %Y", "%B %d, %Y"),
    ("%Y-%m-%d %H:%M:%S",),
    ("%Y-%m-%dT%H:%M:%S",),
    ("%Y-%m-%dT%H:%M:%SZ",),
    ("%Y-%m-%d %H:%M:%S.%f",),
    ("%Y-%m-%d %H:%M",),
    ("%d.%m.%Y %H:%M",),
    ("%d/%m/%Y %H:%M", "%m/%d/%Y %H:%M"),
    ("%d/%m/%Y %H:%M:%S", "%m/%d/%Y %H:%M:%S"),
    ("%d/%m/%y %H:%M", "%m/%d/%y %H:%M"),
    ("%d/%m/%Y %I:%M:%S %p", "%m/%d/%Y %I:%M:%S %p"),
)

# Key of the values for all columns.
ANY = "*"


@dataclass(frozen=True)
class Candidates:
    """The steward's own values, by column; `ANY` for all.

    Raises:
        ArgumentError: A list is too long, or a value can't be the text of a cell.
    """

    lists: Mapping[str, tuple[str, ...]] = field(default_factory=FrozenMap)

    def __post_init__(self) -> None:
        """Raise ArgumentError if a list is too long, or if a value can't be a cell's text."""
        for name, texts in self.lists.items():
            if len(texts) > limits.CANDIDATES:
                raise ArgumentError(
                    f"The candidates of '{name}' are more than {limits.CANDIDATES:,}."
                )
            if any(not _fits(text) for text in texts):
                raise ArgumentError(
                    f"The candidates of '{name}' hold one that is empty, padded with blanks, "
                    f"or over {limits.DRAFTED_TEXT} characters long."
                )

    @classmethod
    def from_json(cls, content: Json) -> Self:
        """Return the lists of values in a parsed JSON object, by the column's name.

        Values become texts, each once. The name ``*`` stands for all columns.

        Raises:
            ArgumentError: It is no such object.
        """
        # If it is no object, one entry without a list stands in, which is refused below.
        lists = content if isinstance(content, Mapping) else {"": None}
        candidates = {}
        for name, texts in lists.items():
            if not isinstance(texts, list | tuple):
                raise ArgumentError(
                    'Candidates are a JSON object such as {"grade": ["low", "high"]}.'
                )
            candidates[str(name)] = tuple(dict.fromkeys(map(str, texts)))
        return cls(FrozenMap(candidates))

    def list_values(self, column: str) -> tuple[str, ...]:
        """Return a column's candidates: its own, those for all columns, and common texts.

        Each comes once. Spellings of a missing value are left out, as they have cells of
        their own.
        """
        declared = (*self.lists.get(column, ()), *self.lists.get(ANY, ()))
        texts = [text for text in (*declared, *COMMON_TEXTS) if text not in MISSING]
        return tuple(dict.fromkeys(texts))


def read_candidates(path: str) -> Candidates:
    """Return the lists of values in a JSON file, by column.

    Raises:
        ArgumentError: It can't be read, is larger than a declaration may be, or has another
            form.
    """
    try:
        # It reads no more than the limit and a byte, so a larger file has more than that.
        content = read_file(path, limits.SCHEMA_MB * 2**20)
        if len(content) > limits.SCHEMA_MB * 2**20:
            raise ValueError
        return Candidates.from_json(read_json(content, f"The file of candidates '{path}'"))
    except ArgumentError:  # it says what is wrong with a list
        raise
    except (OSError, ValueError):
        raise ArgumentError(
            f"The file of candidates '{path}' cannot be read as JSON."
        ) from None


def _fits(text: str) -> bool:
    return (
        0 < len(text) <= limits.DRAFTED_TEXT and text == text.strip() and text.isprintable()
    )
