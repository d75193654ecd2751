"""Columns whose cells hold several answers, such as ``1,3`` or ``red;blue``. PRIVATE.

Qualtrics, KoBo and Google Forms write the answers to a question with several choices so.

>>> texts = ["1", "2", "3", "1,2", "1,3", "2,3", "1,2,3"]
>>> find_separator(texts), find_separator(["0,5", "1", "1,5", "2", "2,5"])
(',', '')
"""

import re
from collections.abc import Sequence
from dataclasses import replace

from synth.drafting import DraftColumn, Review
from synth.private.counting.profiles import Profile
from synth.private.counting.settling_texts import list_texts
from synth.private.counting.shapes import SURE

# Marks between the answers in a cell, with their names in a sentence.
SEPARATOR_NAMES = {
    ",": "commas",
    ";": "semicolons",
    "|": "vertical bars",
    " ": "blanks",
}
# Most different answers of one question.
MAX_OPTIONS = 60
# Fewest different cells with several answers.
LEAST_CELLS = 3


def settle_several_answers(profile: Profile) -> DraftColumn | None:
    """Return a list of the combinations of answers, with the reason; None for other columns.

    Args:
        profile: The statistics of the column.
    """
    texts = [str(text) for text, _ in profile.common]
    missing = tuple(text for text in texts if text.casefold() in SURE)
    answers = [text for text in texts if text not in missing]
    separator = find_separator(answers)
    if not separator:
        return None
    options = {option.strip() for text in answers for option in text.split(separator)}
    column = list_texts(profile, missing)
    reason = (
        f"{column.reason}; it holds several answers in one cell, with "
        f"{SEPARATOR_NAMES[separator]} between them, of {len(options)} options: the format "
        "option split makes a yes/no column of each"
    )
    return replace(column, reason=reason, review=column.review or Review.DETAILED)


def find_separator(texts: Sequence[str]) -> str:
    """Return the mark between several answers in the different texts of a column; else ''.

    Args:
        texts: The texts, each once, without spellings of a missing value.
    """
    return next((mark for mark in SEPARATOR_NAMES if _hold_answers(texts, mark)), "")


def _hold_answers(texts: Sequence[str], separator: str) -> bool:
    """Return whether a mark separates answers in texts.

    It does if the parts of all texts are few, differ within each text, and stand alone in
    other texts, too. Decimal commas, names and phrases do not.

    Args:
        texts: The texts, each once.
        separator: The mark.
    """
    lists = [[part.strip() for part in text.split(separator)] for text in texts]
    several = [parts for parts in lists if len(parts) > 1]
    options = {part for parts in lists for part in parts}
    if len(several) < LEAST_CELLS or not 2 <= len(options) <= MAX_OPTIONS:
        return False
    if "" in options or any(len({*parts}) < len(parts) for parts in several):
        return False
    # Numbers with a comma between them are listed in order, but decimal numbers are not.
    if separator == "," and not all(map(_ascends, several)):
        return False
    if separator == " " and not all(re.fullmatch(r"[\w-]+", option) for option in options):
        return False
    options_alone = {parts[0] for parts in lists if len(parts) == 1}
    if options == options_alone:
        return True
    # If some options never stand alone, the texts must look like lists in other ways. Between
    # blanks are words of a phrase, too.
    if separator == " " or not options & options_alone:
        return False
    has_three_parts = any(len(parts) > 2 for parts in several)
    occurrences = sum(map(len, lists))
    return has_three_parts and occurrences >= 2 * len(options)


def _ascends(parts: Sequence[str]) -> bool:
    """Return whether the numbers among the parts ascend, if all are whole numbers."""
    if not all(re.fullmatch(r"\d{1,9}", part) for part in parts):
        return True
    numbers = [int(part) for part in parts]
    return numbers == sorted({*numbers})
