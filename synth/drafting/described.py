"""A described column in words: its values, and what becomes of others. PUBLIC.

>>> from synth.domain import Categorical, Integer
>>> age = Integer(name="age", minimum=18, maximum=97, bins=20, signs=("<5",))
>>> describe_values(age)
'18 to 97, 20 bins; a cell of their own for <5'
>>> town = Categorical(name="town", categories=("Bonn", "Kiel"))
>>> describe_values(town)
'2 values: Bonn, Kiel'
>>> describe_values(town, Loss(other=0.09, unlisted=75))
'77 values: 2 listed, 75 become (other), 9 % of the rows'
"""

from collections.abc import Sequence

from synth.domain import Column
from synth.drafting.drafted import DraftColumn, Review
from synth.drafting.losses import NO_LOSS, Loss
from synth.errors import name_some
from synth.util import write_share

# Most values of a list that a sentence names, and most characters of each.
NAMED_VALUES = 5
NAMED_CHARACTERS = 24


def describe_values(column: Column, loss: Loss = NO_LOSS) -> str:
    """Return the values of a column in a few words, such as "18 to 97, 20 bins".

    Args:
        column: The declared column.
        loss: What it loses by a look at the rows; other values are then counted, too.
    """
    if column.cutting is not None:
        return column.in_words
    count = column.value_cells
    if loss.unlisted:
        fate = "(other)" if loss.other else "missing"
        share = write_share(loss.other or loss.missing)
        return (
            f"{count + loss.unlisted:,} values: {count:,} listed, {loss.unlisted:,} become "
            f"{fate}, {share} of the rows"
        )
    titles = [_shorten(title) for title in column.titles[:count]]
    values = "1 value" if count == 1 else f"{count:,} values"
    if column.extent is not None and count > 1:
        return f"{values} in order, from {titles[0]} to {titles[-1]}"
    return f"{values}: {name_some(titles, NAMED_VALUES)}"


# What begins the part of a remark that is for those who have no app.
ON_COMMAND_LINE = " On the command line: "


def describe_losses(looked: DraftColumn) -> list[str]:
    """Return what a drafted column loses, as short phrases; none if it loses nothing.

    Unlisted values are told by `describe_values`.

    Args:
        looked: The result of a look at the rows.

    >>> looked = DraftColumn(field={"name": "age"}, reason="", loss=Loss(missing=0.0034))
    >>> describe_losses(looked)
    ['0.34 % of the rows become missing']
    """
    loss = looked.loss
    phrases = []
    if looked.review is Review.DETAILED:
        phrases.append("nearly all values differ: drawn anywhere within a bin")
    is_told = bool(loss.unlisted) and not loss.other
    if loss.missing and not is_told:
        phrases.append(f"{write_share(loss.missing)} of the rows become missing")
    if loss.outside:
        phrases.append(
            f"{write_share(loss.outside)} of the rows lie outside: the nearest bound counts"
        )
    if loss.unused:
        phrases.append(f"{loss.values:,} values are possible, and {loss.occurring:,} occur")
    # What is empty, or nearly, is told in other words.
    if 0 < looked.empty < 1 and looked.review is not Review.QUESTIONS:
        phrases.append(f"{write_share(looked.empty)} of the rows are empty")
    return phrases


def name_special_values(column: Column) -> Sequence[str]:
    """Return the values of a column with bins that have a cell of their own, and its signs.

    >>> from synth.domain import Integer
    >>> pay = Integer(name="pay", minimum=1, maximum=90, spikes=("0", "-9"), signs=("<5",))
    >>> name_special_values(pay)
    ['-9', '0', '<5']
    """
    cutting = column.cutting
    if cutting is None:
        return []
    codes = [spike.code for spike in cutting.spikes] + [*column.sign_codes.values()]
    return [column.titles[code] for code in sorted(codes)]


def _shorten(text: str) -> str:
    return text if len(text) <= NAMED_CHARACTERS else f"{text[: NAMED_CHARACTERS - 1]}…"
