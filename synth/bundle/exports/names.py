"""Names that a format can hold, each its own. PUBLIC.

>>> NameRule(8, is_upper=True).spell_names(["age of child", "age of pet", "Sex"])
['AGE_OF_C', 'AGE_OF_P', 'SEX']
>>> NameRule(31, frozenset({"if"})).spell_names(["2nd", "if", "año"])
['_2nd', 'if_', 'año']
"""

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class NameRule:
    """Which names of columns a format takes: letters, digits of ASCII and lines.

    Attributes:
        most: Bytes of a name.
        reserved: Names that mean something else there, in small letters.
        first: What comes before a name that begins with no letter.
        is_upper: Whether names are in capital letters of ASCII, and case makes no difference.
    """

    most: int
    reserved: frozenset[str] = frozenset()
    first: str = "_"
    is_upper: bool = False

    def spell_names(self, names: Sequence[str]) -> list[str]:
        """Spell the names of columns as a format holds them, in their order.

        Case makes no difference: of SPSS and SAS it does not, and nobody wants it to in Stata.
        """
        taken = set(self.reserved)
        found = []
        for name in names:
            held = _free(self._spell(name), taken, self.most)
            taken.add(held.lower())
            found.append(held)
        return found

    def _spell(self, name: str) -> str:
        """The name with signs that the format takes, and a letter or a line first."""
        if self.is_upper:
            plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
            name = (plain or name).upper()
        text = "".join(sign if self._is_plain(sign) else "_" for sign in name)
        return text if text[:1].isalpha() or text[:1] == self.first else f"{self.first}{text}"

    def _is_plain(self, sign: str) -> bool:
        """Whether a name may have a sign: a letter, a digit of ASCII, or a line."""
        is_letter = sign.isalpha() and (sign.isascii() or not self.is_upper)
        return is_letter or (sign.isascii() and (sign.isdigit() or sign == "_"))


def _free(name: str, taken: set[str], most: int) -> str:
    """The name cut to so many bytes; a number follows where somebody has it."""
    held, number = cut(name, most), 1
    if held.lower() in taken and len(name.encode()) < most and f"{held}_".lower() not in taken:
        return f"{held}_"
    while held.lower() in taken:
        number += 1
        held = f"{cut(name, most - len(str(number)) - 1)}_{number}"
    return held


def cut(text: str, most: int) -> str:
    """The longest beginning of so many bytes.

    >>> cut("naïve", 3)
    'na'
    """
    return text.encode()[:most].decode(errors="ignore")
