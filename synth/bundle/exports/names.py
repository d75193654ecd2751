"""Names that a format can hold, each its own. PUBLIC.

>>> held_names(["age of child", "age of pet", "Sex"], FileFormat.XPT)
['AGE_OF_C', 'AGE_OF_P', 'SEX']
>>> held_names(["2nd", "if", "año"], FileFormat.DTA)
['_2nd', 'if_', 'año']
"""

import unicodedata
from collections.abc import Sequence

from synth.bundle.exports.formats import FileFormat

_SPSS = "all and by eq ge gt le lt ne not or to with".split()
_STATA = (
    "_all _b byte _coef _cons double float if in int _n _N long _pi _pred _rc _skip strL using with"
)
_SAS = "_n_ _error_ _file_ _infile_ _msg_ _iorc_ _cmd_".split()
RESERVED = {FileFormat.SAV: _SPSS, FileFormat.DTA: _STATA.lower().split(), FileFormat.XPT: _SAS}
"""Names that mean something else there, in small letters."""


def held_names(names: Sequence[str], kind: FileFormat) -> list[str]:
    """The names of columns as a format holds them, in their order.

    Case makes no difference: of SPSS and SAS it does not, and nobody wants it to in Stata.
    """
    most = kind.reach.name
    if most is None:
        return list(names)
    taken: set[str] = set(RESERVED[kind])
    found = []
    for name in names:
        held = _free(_spell_name(name, kind), taken, most)
        taken.add(held.lower())
        found.append(held)
    return found


def _spell_name(name: str, kind: FileFormat) -> str:
    """The name with signs that the format takes, and a letter or a line first."""
    if kind is FileFormat.XPT:
        plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
        name = (plain or name).upper()
    text = "".join(sign if _is_plain(sign, kind) else "_" for sign in name)
    if text[:1].isalpha() or (text[:1] == "_" and kind is not FileFormat.SAV):
        return text
    return f"v{text}" if kind is FileFormat.SAV else f"_{text}"


def _is_plain(sign: str, kind: FileFormat) -> bool:
    """Whether a name may have a sign: a letter, a digit of ASCII, or a line."""
    is_letter = sign.isalpha() and (sign.isascii() or kind is not FileFormat.XPT)
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
