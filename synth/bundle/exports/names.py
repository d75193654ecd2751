"""Unique names that a format accepts. PUBLIC.

>>> NameRule(max_bytes=8, is_upper=True).spell_names(["age of child", "age of pet", "Sex"])
['AGE_OF_C', 'AGE_OF_P', 'SEX']
>>> NameRule(max_bytes=31, reserved=frozenset({"if"})).spell_names(["2nd", "if", "año"])
['_2nd', 'if_', 'año']
"""

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class NameRule:
    """The names of columns that a format accepts: letters, ASCII digits and underscores.

    Attributes:
        max_bytes: The most bytes of a name.
        reserved: Reserved names, in small letters.
        first: Prefix of a name that does not begin with a letter.
        is_upper: Whether names are ASCII capitals, in which case is ignored.
    """

    max_bytes: int
    reserved: frozenset[str] = frozenset()
    first: str = "_"
    is_upper: bool = False

    def spell_names(self, names: Sequence[str]) -> list[str]:
        """Return the names that columns get in a format, all different, in order.

        Names differ by more than case: SPSS and SAS ignore it, and in Stata it would confuse
        people.
        """
        taken = set(self.reserved)
        spelled_names = []
        for name in names:
            spelled_name = _find_free(self._spell(name), taken, self.max_bytes)
            taken.add(spelled_name.lower())
            spelled_names.append(spelled_name)
        return spelled_names

    def _spell(self, name: str) -> str:
        """Return a name with the allowed characters only; other names may become the same.

        Capital formats lose accents. All other characters become underscores.
        """
        if self.is_upper:
            # NFKD splits a letter from its accent, which is no ASCII.
            plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
            name = (plain or name).upper()
        text = "".join(sign if self._is_plain(sign) else "_" for sign in name)
        begins_well = text[:1].isalpha() or text[:1] == self.first
        return text if begins_well else f"{self.first}{text}"

    def _is_plain(self, sign: str) -> bool:
        """Return whether a name may have a character."""
        is_letter = sign.isalpha() and (sign.isascii() or not self.is_upper)
        return is_letter or (sign.isascii() and (sign.isdigit() or sign == "_"))


def _find_free(name: str, taken: set[str], max_bytes: int) -> str:
    """Return the name, or if it is taken the name with an underscore, else with a number.

    Args:
        name: The name, of allowed characters.
        taken: The names that are taken, in small letters.
        max_bytes: The most bytes of a name; a longer one is cut.
    """
    free_name = cut(name, max_bytes)
    has_room = len(name.encode()) < max_bytes
    if free_name.lower() in taken and has_room and f"{free_name}_".lower() not in taken:
        return f"{free_name}_"
    number = 1
    while free_name.lower() in taken:
        number += 1
        free_name = f"{cut(name, max_bytes - len(str(number)) - 1)}_{number}"
    return free_name


def cut(text: str, max_bytes: int) -> str:
    """Return the longest beginning of at most this many bytes.

    >>> cut("naïve", 3)
    'na'
    """
    return text.encode()[:max_bytes].decode(errors="ignore")
