"""Unique names that a format accepts. PUBLIC.

>>> NameRule(most=8, is_upper=True).spell_names(["age of child", "age of pet", "Sex"])
['AGE_OF_C', 'AGE_OF_P', 'SEX']
>>> NameRule(most=31, reserved=frozenset({"if"})).spell_names(["2nd", "if", "año"])
['_2nd', 'if_', 'año']
"""

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class NameRule:
    """The names of columns that a format accepts: letters, ASCII digits and underscores.

    Attributes:
        most: Bytes of a name.
        reserved: Reserved names, in small letters.
        first: Prefix of a name that does not begin with a letter.
        is_upper: Whether names are ASCII capitals, in which case is ignored.
    """

    most: int
    reserved: frozenset[str] = frozenset()
    first: str = "_"
    is_upper: bool = False

    def spell_names(self, names: Sequence[str]) -> list[str]:
        """Return the names of columns in a format, in order.

        Names differ by more than case: SPSS and SAS ignore it, and in Stata it would confuse
        people.
        """
        taken = set(self.reserved)
        found = []
        for name in names:
            held = _free(self._spell(name), taken, self.most)
            taken.add(held.lower())
            found.append(held)
        return found

    def _spell(self, name: str) -> str:
        if self.is_upper:
            plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
            name = (plain or name).upper()
        text = "".join(sign if self._is_plain(sign) else "_" for sign in name)
        return text if text[:1].isalpha() or text[:1] == self.first else f"{self.first}{text}"

    def _is_plain(self, sign: str) -> bool:
        is_letter = sign.isalpha() and (sign.isascii() or not self.is_upper)
        return is_letter or (sign.isascii() and (sign.isdigit() or sign == "_"))


def _free(name: str, taken: set[str], most: int) -> str:
    held, number = cut(name, most), 1
    if (
        held.lower() in taken
        and len(name.encode()) < most
        and f"{held}_".lower() not in taken
    ):
        return f"{held}_"
    while held.lower() in taken:
        number += 1
        held = f"{cut(name, most - len(str(number)) - 1)}_{number}"
    return held


def cut(text: str, most: int) -> str:
    """Return the longest beginning of at most this many bytes.

    >>> cut("naïve", 3)
    'na'
    """
    return text.encode()[:most].decode(errors="ignore")
