"""Candidates of a choice: quantiles, and conditions. PUBLIC.

>>> told_candidates((Fraction(1, 10), Fraction(1, 3)), ())
['0.1, 1/3 of']
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import pairwise

from synth import limits
from synth.domain import first_repeat
from synth.errors import ArgumentError, LimitError
from synth.privacy import parse_rational, plain
from synth.questions.wording.claimed import ClaimedFigure
from synth.questions.wording.condition import Condition, read_condition, sorted_condition
from synth.questions.wording.spelling import refuse_question, shorten
from synth.util import Json

# Most digits after the point of a quantile that is written as a decimal.
_DECIMALS = 6


def check_quantiles(quantiles: Sequence[Fraction], *, are_taken: bool) -> None:
    """Refuse quantiles that no question can have, or any for a kind that takes none.

    Args:
        quantiles: The quantiles of a question.
        are_taken: Whether its kind takes quantiles.

    Raises:
        QuestionError: They are not numbers between 0 and 1 in ascending order, each once.
        LimitError: There are too many.
    """
    if not are_taken:
        if quantiles:
            refuse_question("Only 'quantiles' says which: quantiles 0.1, 0.5 of age.")
        return
    if not quantiles:
        refuse_question("'quantiles' says which: quantiles 0.1, 0.5, 0.9 of age.")
    if len(quantiles) > limits.QUANTILES:
        raise LimitError(
            f"There are {len(quantiles):,} quantiles; the limit is {limits.QUANTILES}."
        )
    if not all(isinstance(quantile, Fraction) and 0 < quantile < 1 for quantile in quantiles):
        refuse_question("Quantiles are numbers above 0 and below 1, such as 0.1 or 1/3.")
    if any(quantile.denominator > limits.QUANTILE_PARTS for quantile in quantiles):
        refuse_question(
            f"Quantiles are written with at most {_DECIMALS} digits after the point, or as a "
            f"fraction of at most {limits.QUANTILE_PARTS:,} parts."
        )
    for quantile, following in pairwise(quantiles):
        if quantile == following:
            refuse_question(f"The quantile {quantile_text(quantile)} is asked for twice.")
        if quantile > following:
            refuse_question(
                f"Write quantiles in ascending order; {quantile_text(quantile)} comes before "
                f"{quantile_text(following)}."
            )


def check_candidates(candidates: Sequence[Condition], *, are_taken: bool) -> None:
    """Refuse candidates that no question can have, or any for a kind that takes none.

    Args:
        candidates: The conditions among which the question chooses.
        are_taken: Whether its kind takes candidates.

    Raises:
        QuestionError: There are fewer than two, or one occurs twice.
        LimitError: There are too many.
    """
    if not are_taken:
        if candidates:
            refuse_question(
                "Only 'best' has candidates: best of [age < 30; age > 60] by count."
            )
        return
    if len(candidates) < 2:
        refuse_question(
            "'best' needs two candidates or more: best of [age < 30; age > 60] by count."
        )
    if len(candidates) > limits.CANDIDATES:
        raise LimitError(
            f"There are {len(candidates):,} candidates; the limit is {limits.CANDIDATES:,}."
        )
    # Sorted, conditions that mean the same have one text.
    twice = first_repeat(str(sorted_condition(candidate)) for candidate in candidates)
    if twice is not None:
        refuse_question(f"The candidate '{shorten(twice)}' is there twice.")


def quantile_text(quantile: Fraction) -> str:
    """Write a quantile: as a decimal if that is exact, otherwise as a fraction.

    >>> quantile_text(Fraction(1, 4)), quantile_text(Fraction(1, 3))
    ('0.25', '1/3')
    """
    has_decimals = 10**_DECIMALS % quantile.denominator == 0
    return plain(quantile) if has_decimals else str(quantile)


def told_candidates(
    quantiles: Sequence[Fraction],
    candidates: Sequence[Condition],
    claimed: ClaimedFigure | None = None,
) -> list[str]:
    """Return the words of quantiles, candidates or a claimed figure, as they stand in the
    text of a question.
    """
    words = []
    if quantiles:
        words.append(f"{', '.join(map(quantile_text, quantiles))} of")
    if candidates:
        words.append(f"of [{'; '.join(map(str, candidates))}] by count")
    if claimed is not None:
        words.append(str(claimed))
    return words


def read_quantiles(content: Mapping[str, Json]) -> tuple[Fraction, ...]:
    """Return the quantiles of a question in JSON, which are texts or numbers in a list.

    Raises:
        QuestionError: They are anything else.
        LimitError: There are too many.
    """
    return tuple(map(parse_quantile, _read_list(content, "quantiles", limits.QUANTILES)))


def read_conditions(content: Mapping[str, Json]) -> tuple[Condition, ...]:
    """Return the candidates of a question in JSON, each of which is a condition.

    Raises:
        QuestionError: They are anything else.
        LimitError: There are too many.
    """
    return tuple(map(read_condition, _read_list(content, "candidates", limits.CANDIDATES)))


def _read_list(content: Mapping[str, Json], key: str, limit: int) -> list[Json]:
    """Return the list under a key of a question in JSON; empty if the key is absent.

    Args:
        content: The JSON object.
        key: The key.
        limit: The most values that the list may have.
    """
    values = content.get(key, [])
    if not isinstance(values, list):
        refuse_question(f"'{key}' of a question must be a list.")
    if len(values) > limit:
        raise LimitError(f"There are {len(values):,} {key}; the limit is {limit:,}.")
    return values


def parse_quantile(value: object) -> Fraction:
    """Return a quantile from a text such as "0.1" or "1/3", or from a number.

    Raises:
        QuestionError: It is no number.
    """
    try:
        return parse_rational(value, name="A quantile")
    except ArgumentError as error:
        return refuse_question(str(error))
