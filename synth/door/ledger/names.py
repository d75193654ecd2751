"""Names of datasets: one standard spelling for each, and warnings about names that look
alike.

A dataset stands for a population. All tables about the same people share one name, and so one
budget. Spellings of the same text are one name. The steward gets a warning about different
names that look alike.

>>> standard("  ｓｕｒｖｅｙ\\u00a0 2024 "), standard("cafe\\u0301") == standard("caf\\u00e9")
('survey 2024', True)
>>> look_alike("survey", "Survey"), look_alike("survey", "surv\\u0435y"), look_alike("a", "b")
(True, True, False)
"""

import unicodedata
from collections.abc import Sequence

from synth import limits
from synth.errors import LedgerError, name_some

# Most names that a sentence lists.
LISTED = 10

# Characters that count as printable but show nothing, in addition to variation selectors.
_INVISIBLE = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")

# Letters that look like Latin ones or digits in most typefaces (as in Unicode's UTS #39).
# Capitals are listed separately: a capital eta looks like an H, a small one like an n.
_DOUBLES = {
    "A": "АΑ",
    "B": "ВвΒЬь",
    "C": "СϹ",
    "E": "ЕΕ",
    "H": "НнΗ",
    "I": "ІΙӀ",
    "J": "Ј",
    "K": "КкΚκ",
    "M": "МмΜ",
    "N": "Ν",
    "O": "ОΟՕ",
    "P": "РΡ",
    "Q": "Ԛ",
    "S": "ЅՏ",
    "T": "ТтΤτ",
    "U": "Ս",
    "V": "Ѵ",
    "W": "Ԝ",
    "X": "ХΧ",
    "Y": "ҮΥУ",
    "Z": "Ζ",
    "3": "Зз",
    "6": "б",
    "a": "аαɑ",
    "c": "сϲ",
    "d": "ԁ",
    "e": "еҽ",
    "g": "ɡ",
    "h": "һհ",
    "i": "іιıɩ",
    "j": "јϳ",
    "l": "ӏ",
    "n": "пηո",
    "o": "оοօσ",
    "p": "рρ",
    "q": "ԛ",
    "r": "г",
    "s": "ѕ",
    "u": "υս",
    "v": "νѵ",
    "w": "ԝω",
    "x": "хχ",
    "y": "уүγ",
}

_LOOKS_LIKE = {
    ord(character): latin for latin, doubles in _DOUBLES.items() for character in doubles
}
# Strokes as readers take them: I, 1 and | for l, and 0 for O.
_STROKES = str.maketrans("I1|0", "lllO")


def standard(name: str) -> str:
    """Return the standard spelling of a name.

    It is in Unicode's form NFKC, without invisible characters, and with single blanks.
    """
    characters = unicodedata.normalize("NFKC", name)
    visible = "".join(character for character in characters if not _is_unseen(character))
    # Once more, as letters may combine that an invisible character kept apart.
    return " ".join(unicodedata.normalize("NFKC", visible).split())


def check_name(name: str) -> str:
    """Return the standard spelling of a name that may be recorded.

    Raises:
        LedgerError: The name is empty, too long, or contains invisible characters or ones
            that change the direction of the text.
    """
    spelled = standard(name)
    # Python counts only the plain blank as printable, but any other blank will do.
    with_plain_blanks = "".join(" " if unicodedata.category(c) == "Zs" else c for c in name)
    is_short = len(spelled) <= limits.DATASET_NAME
    if not spelled or not is_short or not _is_plain(with_plain_blanks):
        raise LedgerError(
            f"A dataset needs a name of 1 to {limits.DATASET_NAME} printable characters, "
            "without any that are not seen or that turn the direction of text."
        )
    return spelled


def look_alike(name: str, other_name: str) -> bool:
    """Return whether a reader may take two names for each other.

    They do if they differ only in case and accents, in letters of other alphabets that look
    like Latin ones, or in strokes such as l, I, 1 and |.
    """
    first = standard(name)
    second = standard(other_name)
    return (
        _without_case_and_accents(first) == _without_case_and_accents(second)
        or _skeleton(first) == _skeleton(second)
        or _skeleton(first.translate(_STROKES)) == _skeleton(second.translate(_STROKES))
    )


def list_datasets(names: Sequence[str]) -> str:
    """Return in words which datasets a ledger has, as a part of a sentence.

    >>> list_datasets([]), list_datasets(["a", "b"])
    ('it has none yet', "it has 'a', 'b'")
    """
    if not names:
        return "it has none yet"
    return "it has " + name_some([f"'{name}'" for name in names], LISTED)


def _skeleton(name: str) -> str:
    """Return what a name looks like; names of equal skeletons are similar to the eye.

    Letters that look like Latin ones become these. Case, accents, blanks and punctuation go.
    Pairs of letters that look like one, such as "rn" like "m", become that one.
    """
    in_latin = unicodedata.normalize("NFD", name).translate(_LOOKS_LIKE)
    # Letters, digits, and Unicode's marks (categories Mn, Mc and Me), as of other scripts.
    letters = [
        character
        for character in _without_case_and_accents(in_latin)
        if character.isalnum() or unicodedata.category(character).startswith("M")
    ]
    return "".join(letters).replace("rn", "m").replace("vv", "w")


def _without_case_and_accents(name: str) -> str:
    """Return a name in small letters, each without its accents."""
    # NFD writes an accented letter as the letter and its accents, U+0300 to U+036F.
    characters = unicodedata.normalize("NFD", name.casefold())
    return "".join(
        character for character in characters if not "\u0300" <= character <= "\u036f"
    )


def _is_unseen(character: str) -> bool:
    """Return whether a character is invisible; usual blanks, tabs and line breaks are not.

    Those are Unicode's format and control characters, variation selectors, and the ones in
    `_INVISIBLE`.
    """
    # Variation selectors; the Mongolian ones are tested below.
    variant = "\ufe00" <= character <= "\ufe0f" or "\U000e0100" <= character <= "\U000e01ef"
    if variant or character in _INVISIBLE or "\u180b" <= character <= "\u180f":
        return True
    return unicodedata.category(character) in ("Cf", "Cc") and not character.isspace()


def _is_plain(name: str) -> bool:
    """Return whether every character of a name can be printed and is visible."""
    return name.isprintable() and not any(map(_is_unseen, name))
