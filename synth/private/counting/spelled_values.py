"""Texts such as NA that mean a missing value in one column and a value in another. PRIVATE.

>>> find_spelled_values({"NA": 12, "DE": 40, "FR": 30, "ZA": 20, "US": 9})
frozenset({'NA'})
>>> find_spelled_values({"NA": 12, "yes": 40, "no": 30})
frozenset()
>>> find_spelled_values({"-": 12, "0": 40, "+": 30})
frozenset({'-'})
"""

import re
from collections.abc import Callable, Collection, Mapping

from synth.private.counting.shapes import SURE

# The symbols of the chemical elements.
ELEMENTS = frozenset(
    "H He Li Be B C N O F Ne Na Mg Al Si P S Cl Ar K Ca Sc Ti V Cr Mn Fe Co Ni Cu Zn Ga "
    "Ge As Se Br Kr Rb Sr Y Zr Nb Mo Tc Ru Rh Pd Ag Cd In Sn Sb Te I Xe Cs Ba La Ce Pr Nd "
    "Pm Sm Eu Gd Tb Dy Ho Er Tm Yb Lu Hf Ta W Re Os Ir Pt Au Hg Tl Pb Bi Po At Rn Fr Ra "
    "Ac Th Pa U Np Pu Am Cm Bk Cf Es Fm Md No Lr Rf Db Sg Bh Hs Mt Ds Rg Cn Nh Fl Mc Lv "
    "Ts Og".split()
)
# Fewest other values that show what the values of a column are.
LEAST_OTHERS = 3
# Share of the other rows that must have such values.
ALIKE_SHARE = 0.95


def find_spelled_values(
    rows_by_text: Mapping[str, int], missing_elsewhere: Collection[str] = ()
) -> frozenset[str]:
    """Return the spellings of a missing value that are values of this column.

    The other values decide: ``NA`` is a country among codes of two capital letters, and
    ``Na`` is sodium among symbols of elements. A text that means a missing value in another
    column of the table means one here, too. Where ``+`` is a value, as of a test, ``-`` is
    its opposite in any case.

    Args:
        rows_by_text: The texts of the column, and the rows of each.
        missing_elsewhere: Texts that mean a missing value in other columns.
    """
    others = {text: n for text, n in rows_by_text.items() if text.casefold() not in SURE}
    candidates = {"NA": _is_code, "Na": _is_element}
    minuses = frozenset(
        text
        for text in rows_by_text
        if text and not text.strip("-") and "+" * len(text) in rows_by_text
    )
    return minuses | frozenset(
        text
        for text, is_alike in candidates.items()
        if text in rows_by_text
        and text not in missing_elsewhere
        and _are_alike(others, is_alike)
    )


def _is_code(text: str) -> bool:
    return re.fullmatch("[A-Z]{2}", text) is not None


def _is_element(text: str) -> bool:
    return text in ELEMENTS


def _are_alike(others: Mapping[str, int], is_alike: Callable[[str], bool]) -> bool:
    """Return whether the other values are several, and nearly all of one kind."""
    alike = {text: n for text, n in others.items() if is_alike(text)}
    is_common = sum(alike.values()) >= ALIKE_SHARE * sum(others.values())
    return len(alike) >= LEAST_OTHERS and is_common
