"""How a column of several answers in a cell is split: into a yes/no column for each option.

>>> parse_split("uses:,:1,2,5")
AnswerSplit(name='uses', mark=',', options=('1', '2', '5'))
"""

import re
from typing import NamedTuple, NoReturn

from synth.errors import ArgumentError

# Marks by their names, for those that are hard to type.
MARKS = {"comma": ",", "semicolon": ";", "pipe": "|", "space": " "}
SPLIT = re.compile(
    r"(?P<name>.+?):(?P<mark>comma|semicolon|pipe|space|[^\w:\"\s]):(?P<rest>.+)"
)
# Most options of one question.
MAX_OPTIONS = 200


class AnswerSplit(NamedTuple):
    """A column whose cells hold several answers.

    Attributes:
        name: The name of the column.
        mark: The mark between the answers in a cell.
        options: The answers that get a column each.
    """

    name: str
    mark: str
    options: tuple[str, ...]


def parse_split(text: str) -> AnswerSplit:
    """Return how a column is split, by a text such as ``uses:,:1,2,5``.

    It has the column's name, the mark between answers, and all options with that mark between
    them. The mark may be a word of `MARKS`.

    Raises:
        ArgumentError: The text has another form, or an option is empty or listed twice.
    """
    match = SPLIT.fullmatch(text)
    if match is None:
        _refuse("must have the form NAME:MARK:OPTIONS, such as uses:,:1,2,5")
    mark = MARKS.get(match["mark"], match["mark"])
    options = tuple(option.strip() for option in match["rest"].split(mark))
    if "" in options or len({*options}) < len(options):
        _refuse("must list no option twice, and none that is empty")
    if len(options) > MAX_OPTIONS:
        _refuse(f"must list at most {MAX_OPTIONS} options, and not {len(options):,}")
    return AnswerSplit(match["name"], mark, options)


def _refuse(reason: str) -> NoReturn:
    raise ArgumentError(f"The reading option 'split' {reason}.")
