"""Possible values of a formula, from those of its columns: kind, bounds, texts. PUBLIC.

Bounds come from interval arithmetic: never too narrow, at times too wide.

>>> from synth.domain.formulas import parse_formula
>>> age = FormulaValues(kind="number", low=18, high=97, whole=True)
>>> may_give(parse_formula("floor(age / 10) * 10"), {"age": age})
FormulaValues(kind='number', low=10.0, high=90.0, whole=True, texts=(), may_fail=False)
"""

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from datetime import date
from itertools import chain, pairwise, product
from typing import NoReturn

from synth import limits
from synth.domain.column import refuse
from synth.domain.date_patterns import EPOCH
from synth.domain.formulas import Formula
from synth.domain.reading import FormulaValues

# Largest number that is exact as a double; a formula that may give more is refused.
MAX_EXACT_VALUE = 1e15
MAX_POWER = 12
# Assumed distance from 0 of a divisor that is no whole number, for the bounds of a quotient.
SMALLEST_DIVISOR = 1e-12


def may_give(formula: Formula, columns: Mapping[str, FormulaValues]) -> FormulaValues:
    """Return the possible values of a formula: its kind, and its bounds or texts.

    Bounds come from interval arithmetic, so they may be too wide, but never too narrow.

    Args:
        formula: The parsed formula, or a part of one.
        columns: The possible values of each column that it names.

    Raises:
        DomainError: Its parts do not match, or may give numbers beyond `MAX_EXACT_VALUE`.
    """
    if formula.does == "column":
        return columns[formula.value]
    if formula.does == "text":
        return FormulaValues(kind="text", texts=(formula.value,))
    if formula.does == "number":
        value = float(formula.value)
        _check_range(value, value)
        return FormulaValues(kind="number", low=value, high=value, whole=value.is_integer())
    parts = [may_give(part, columns) for part in formula.parts]
    # The rule of its operator or function. Texts and truths have bounds that are always fine.
    values = _RULES[formula.does](formula, parts)
    _check_range(values.low, values.high)
    return replace(values, may_fail=values.may_fail or any(part.may_fail for part in parts))


def _check_range(low: float, high: float) -> None:
    """Raise DomainError if numbers of this range are not all exact as doubles."""
    if not (
        math.isfinite(low) and math.isfinite(high) and max(-low, high) <= MAX_EXACT_VALUE
    ):
        _refuse("may give numbers beyond 10^15, which are not exact")


def _check_numbers(formula: Formula, parts: list[FormulaValues]) -> None:
    """Refuse an operation on numbers if one of its parts has values of another kind."""
    for part in parts:
        if part.kind != "number":
            _refuse(f"takes a {part.kind} where '{formula.does}' needs a number")


def _arithmetic(formula: Formula, parts: list[FormulaValues]) -> FormulaValues:
    """Return the range of a sum, difference, product or quotient, or of a negative.

    The difference of two dates is a number of days. A quotient may fail if the divisor may
    be 0.

    Args:
        formula: The operation; `formula.does` is its sign, or "negative".
        parts: The possible values of its one or two operands.
    """
    if formula.does == "-" and [part.kind for part in parts] == ["date", "date"]:
        # The ends of a date are days since 1970, so they are subtracted as numbers.
        parts = [replace(part, kind="number") for part in parts]
    _check_numbers(formula, parts)
    are_whole = all(part.whole for part in parts) and formula.does != "/"
    first = parts[0]
    if formula.does == "negative":
        return FormulaValues(kind="number", low=-first.high, high=-first.low, whole=are_whole)
    second = parts[1]
    if formula.does == "+":
        return FormulaValues(
            kind="number",
            low=first.low + second.low,
            high=first.high + second.high,
            whole=are_whole,
        )
    if formula.does == "-":
        return FormulaValues(
            kind="number",
            low=first.low - second.high,
            high=first.high - second.low,
            whole=are_whole,
        )
    # A quotient is the product with the inverse of the divisor.
    is_quotient = formula.does == "/"
    factor_ends = _inverse_ends(second) if is_quotient else (second.low, second.high)
    # The least and the greatest product of two intervals are products of their ends.
    products = [one * other for one, other in product((first.low, first.high), factor_ends)]
    return FormulaValues(
        kind="number",
        low=min(products),
        high=max(products),
        whole=are_whole,
        may_fail=is_quotient and second.low <= 0 <= second.high,
    )


def _inverse_ends(divisor: FormulaValues) -> tuple[float, float]:
    """Return the least and the greatest inverse of the numbers of a divisor but 0."""
    if not divisor.low <= 0 <= divisor.high:
        # Both ends have one sign, so the greater one has the smaller inverse.
        return 1 / divisor.high, 1 / divisor.low
    # The numbers next to 0 have the greatest inverses: of whole numbers 1 and -1, of others
    # what `SMALLEST_DIVISOR` assumes.
    smallest = 1.0 if divisor.whole else SMALLEST_DIVISOR
    return -1 / smallest, 1 / smallest


def _power(formula: Formula, parts: list[FormulaValues]) -> FormulaValues:
    """Return the range of a number to a constant power.

    `parts` are the possible values of the base and of the power. DomainError is raised
    unless the power is a constant whole number from 0 to `MAX_POWER`.
    """
    _check_numbers(formula, parts)
    base, power = parts
    # A constant is a range whose ends are equal.
    if power.low != power.high or power.low not in range(MAX_POWER + 1):
        _refuse(f"takes a power that is no whole number from 0 to {MAX_POWER}")
    try:
        ends = [base.low**power.low, base.high**power.low]
    except OverflowError:
        ends = [math.inf]  # which `may_give` refuses
    # Even powers fall down to 0 and rise again; odd ones only rise.
    turns_at_zero = base.low < 0 < base.high and power.low % 2 == 0
    low = 0.0 if turns_at_zero else min(ends)
    return FormulaValues(kind="number", low=low, high=max(ends), whole=base.whole)


def _round_values(formula: Formula, parts: list[FormulaValues]) -> FormulaValues:
    """Return the range of a number rounded to a constant number of decimals.

    `parts` are the possible values of the number and, if given, of the decimals.
    `formula.does` is "floor", "ceil" or "round". DomainError is raised unless the decimals
    are a constant whole number.
    """
    _check_numbers(formula, parts)
    unit: float = 1
    if len(parts) == 2:  # with a number of decimals
        decimals = parts[1].low
        if decimals != parts[1].high or decimals not in range(MAX_POWER):
            _refuse("rounds to a number of decimals that is no whole number from 0 to 11")
        unit = 10**-decimals
    round_number = _ROUNDING[formula.does]
    low = round_number(parts[0].low / unit) * unit
    high = round_number(parts[0].high / unit) * unit
    # The whole number of units must be exact too, before it is multiplied.
    _check_range(low / unit, high / unit)
    return FormulaValues(kind="number", low=low, high=high, whole=unit == 1 or parts[0].whole)


_ROUNDING: Mapping[str, Callable[[float], float]] = {
    "floor": math.floor,
    "ceil": math.ceil,
    "round": lambda value: math.floor(value + 0.5) if math.isfinite(value) else value,
}


def _absolute(formula: Formula, parts: list[FormulaValues]) -> FormulaValues:
    """Return the range of a number's absolute value.

    `parts` holds the possible values of the number alone.
    """
    _check_numbers(formula, parts)
    ends = [abs(parts[0].low), abs(parts[0].high)]
    low = 0.0 if parts[0].low < 0 < parts[0].high else min(ends)
    return FormulaValues(kind="number", low=low, high=max(ends), whole=parts[0].whole)


def _extreme(formula: Formula, parts: list[FormulaValues]) -> FormulaValues:
    """Return the range of the least or the greatest of several numbers.

    `formula.does` is "min" or "max", and `parts` are the possible values of the numbers.
    """
    _check_numbers(formula, parts)
    extreme = min if formula.does == "min" else max
    return FormulaValues(
        kind="number",
        low=extreme(part.low for part in parts),
        high=extreme(part.high for part in parts),
        whole=all(part.whole for part in parts),
    )


def _calendar(formula: Formula, parts: list[FormulaValues]) -> FormulaValues:
    """Return the range of a year, month or day of a date.

    `formula.does` is "year", "month" or "day". The only part is the date, whose ends are
    days since 1970. Any month and any day may occur, whatever the years.
    """
    if parts[0].kind != "date":
        _refuse(f"takes a {parts[0].kind} where '{formula.does}' needs a date")
    if formula.does == "year":
        first_year = _year_of(parts[0].low)
        last_year = _year_of(parts[0].high)
        return FormulaValues(kind="number", low=first_year, high=last_year, whole=True)
    largest = 12 if formula.does == "month" else 31
    return FormulaValues(kind="number", low=1, high=largest, whole=True)


def _name_day(formula: Formula, _: list[FormulaValues]) -> FormulaValues:
    """Return the day of ``date(year, month, day)``, in days since 1970.

    DomainError is raised unless the parts are constants that name a day of the calendar.
    """
    if any(part.does != "number" for part in formula.parts):
        _refuse(
            "takes something else than three numbers for 'date', such as date(2024, 6, 30)"
        )
    try:
        named_day = date(*(int(part.value) for part in formula.parts))
    except ValueError:
        _refuse("names a day by 'date' that is not in the calendar")
    day = named_day.toordinal() - EPOCH.toordinal()
    return FormulaValues(kind="date", low=day, high=day, whole=True)


def _year_of(day: float) -> int:
    """Return the year of a day since 1970, at least the first and at most the last year."""
    ordinal = EPOCH.toordinal() + int(day)
    return date.fromordinal(min(max(ordinal, 1), date.max.toordinal())).year


def _compare_values(formula: Formula, parts: list[FormulaValues]) -> FormulaValues:
    """Return the kind of a comparison, a truth; DomainError if parts can't be compared.

    `formula.does` is the comparison: "=", "<" and so on, or "in", whose list is all parts
    but the first.
    """
    kinds = {part.kind for part in parts}
    if len(kinds) > 1:
        _refuse(f"compares a {parts[0].kind} with a {parts[-1].kind}")
    if formula.does in ("<", "<=", ">", ">=") and kinds & {"text", "truth"}:
        _refuse(f"puts a {parts[0].kind} in an order by '{formula.does}'")
    if formula.does == "in" and any(
        part.does not in ("number", "text") for part in formula.parts[1:]
    ):
        _refuse("lists something else than numbers or texts after 'in'")
    return FormulaValues(kind="truth")


def _logical(formula: Formula, parts: list[FormulaValues]) -> FormulaValues:
    """Return the kind of "and", "or" or "not", a truth; DomainError if a part is none."""
    for part in parts:
        if part.kind != "truth":
            _refuse(f"takes a {part.kind} where '{formula.does}' needs a comparison")
    return FormulaValues(kind="truth")


def _one_of_parts(formula: Formula, parts: list[FormulaValues]) -> FormulaValues:
    """Return the possible values of a formula that gives one of its parts.

    An "if" gives one of its two branches; its first part is the condition, a truth. A
    "coalesce" gives its first part that is not missing. DomainError is raised unless all
    parts that may be given are of one kind.
    """
    if formula.does == "if":
        _logical(formula, parts[:1])
        parts = parts[1:]
    if len({part.kind for part in parts}) > 1:
        _refuse(f"gives now a {parts[0].kind} and now a {parts[-1].kind}")
    return FormulaValues(
        kind=parts[0].kind,
        low=min(part.low for part in parts),
        high=max(part.high for part in parts),
        whole=all(part.whole for part in parts),
        texts=_distinct_texts(chain.from_iterable(part.texts for part in parts)),
    )


def _cut(formula: Formula, parts: list[FormulaValues]) -> FormulaValues:
    """Return the texts of ``bins(number, edge, ...)``, which name the bins of a number."""
    _check_numbers(formula, parts)
    return FormulaValues(kind="text", texts=bin_labels(formula, parts[0].whole))


def edges_of(formula: Formula) -> tuple[float, ...]:
    """Return the edges in a formula ``bins(number, edge, ...)``.

    DomainError is raised if they are no ascending numbers.
    """
    if any(part.does not in ("number", "negative") for part in formula.parts[1:]):
        _refuse("cuts 'bins' at something else than a number")
    # The possible values of a constant are a range whose ends are both the constant.
    edges = [may_give(part, {}).low for part in formula.parts[1:]]
    if any(low >= high for low, high in pairwise(edges)):
        _refuse("cuts 'bins' at numbers that do not ascend")
    return tuple(edges)


def bin_labels(formula: Formula, are_whole: bool) -> tuple[str, ...]:
    """Return the texts that a formula ``bins(number, edge, ...)`` gives, in order.

    `are_whole` says whether the numbers are whole, so that 29 is the last below 30. Numbers
    are written with up to 12 digits.

    >>> from synth.domain.formulas import parse_formula
    >>> bin_labels(parse_formula("bins(age, 18, 30)"), are_whole=True)
    ('under 18', '18 to 29', '30 and over')
    """
    edges = edges_of(formula)
    labels = [f"under {edges[0]:.12g}"]
    for low, high in pairwise(edges):
        if are_whole and high - low == 1:
            labels.append(f"{low:.12g}")
        elif are_whole and high.is_integer():
            labels.append(f"{low:.12g} to {high - 1:.12g}")
        else:
            labels.append(f"{low:.12g} to under {high:.12g}")
    return (*labels, f"{edges[-1]:.12g} and over")


def _concatenate_texts(_: Formula, parts: list[FormulaValues]) -> FormulaValues:
    """Return all texts that joined parts can make.

    `parts` are the possible texts of each part, in order. DomainError is raised if a part is
    no text, or if there are too many combinations.
    """
    if any(part.kind != "text" for part in parts):
        _refuse("joins something else than texts by 'concat'")
    if math.prod(len(part.texts) for part in parts) > limits.CONDITION_VALUES:
        _refuse(f"may give more than {limits.CONDITION_VALUES:,} texts")
    combinations = product(*(part.texts for part in parts))
    return FormulaValues(kind="text", texts=_distinct_texts(map("".join, combinations)))


def _distinct_texts(texts: Iterable[str]) -> tuple[str, ...]:
    """Return each text once, in order; DomainError if one is too long for a value."""
    distinct = tuple(dict.fromkeys(texts))
    if any(len(text) > limits.VALUE_LENGTH for text in distinct):
        _refuse(f"may give texts of more than {limits.VALUE_LENGTH:,} characters")
    return distinct


_RULES: Mapping[str, Callable[[Formula, list[FormulaValues]], FormulaValues]] = {
    **dict.fromkeys(("+", "-", "*", "/", "negative"), _arithmetic),
    "^": _power,
    **dict.fromkeys(_ROUNDING, _round_values),
    "abs": _absolute,
    **dict.fromkeys(("min", "max"), _extreme),
    **dict.fromkeys(("year", "month", "day"), _calendar),
    "date": _name_day,
    **dict.fromkeys(("=", "!=", "<", "<=", ">", ">=", "in"), _compare_values),
    **dict.fromkeys(("and", "or", "not"), _logical),
    **dict.fromkeys(("if", "coalesce"), _one_of_parts),
    "bins": _cut,
    "concat": _concatenate_texts,
}


def _refuse(fault: str) -> NoReturn:
    refuse(f"the formula {fault}.")
