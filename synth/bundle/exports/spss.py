"""SPSS: codes with labels, and codes of missing values. PUBLIC."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from synth.bundle.exports.columns import HeldColumn, Storage
from synth.bundle.exports.format import WHOLE_NUMBER, label_text
from synth.bundle.exports.names import NameRule
from synth.bundle.exports.statistics import StatisticsFormat
from synth.domain import MISSING_LABEL, OTHER_LABEL, Binned, Decimal, Domain

# The most codes of missing values that a column has in SPSS, if they are no range.
MAX_MISSING_CODES = 3


@dataclass(frozen=True, eq=False)
class Spss(StatisticsFormat):
    """Files of SPSS, which have codes of missing values."""

    def hold(self, domain: Domain) -> tuple[HeldColumn, ...]:
        """Return how the format holds each column.

        If the marker of missing values is a whole number, it is the code of missing values.
        Values that mean a missing one are codes of missing values, if SPSS has so many.
        """
        return tuple(
            self._fit_reasons(_mark_missing(variable, domain.marker_of(variable.column)))
            for variable in super().hold(domain)
        )

    def _fit_reasons(self, variable: HeldColumn) -> HeldColumn:
        """Return a column with its reasons as ordinary values, if they are too many."""
        if variable.reasons and not _missing_codes(variable):
            variable = replace(variable, reasons={})
        return super().hold_reasons(variable)

    def hold_texts(self, variable: HeldColumn, column: Binned) -> HeldColumn:
        """Hold numbers, and texts among them as missing codes below all numbers.

        The codes are the first of -98, -998, -9998, ... that is below the numbers, and those
        that follow downwards. Values outside the bounds get the first code.

        Args:
            variable: The column as texts, with its name.
            column: The declared column.
        """
        lowest, _ = _range_of(column)
        candidates = (2 - 10**digits for digits in range(2, 40))
        first = next(candidate for candidate in candidates if candidate < lowest)
        texts = variable.texts_among_values
        if texts[-1] == OTHER_LABEL:
            texts = [OTHER_LABEL, *texts[:-1]]
        codes = {text: float(first - place) for place, text in enumerate(texts)}
        notes = tuple(
            f"Column '{column.name}': '{text}' is the missing code {code:.0f}."
            for text, code in codes.items()
        )
        labels = {
            code: label_text(text, variable, self.max_value_label)
            for text, code in codes.items()
        }
        return replace(
            variable, storage=Storage.NUMBER, text_codes=codes, labels=labels, notes=notes
        )

    def hold_reasons(self, variable: HeldColumn) -> HeldColumn:
        """Hold values that mean a missing one as codes of missing values.

        Args:
            variable: How the format holds the column, with labels.
        """
        return replace(variable, reasons={code: code for code in variable.reason_codes})

    def options(self, variables: tuple[HeldColumn, ...]) -> Mapping[str, Any]:
        """Return the options of pyreadstat's function.

        They add the codes of missing values and the level of measurement of each column.

        Args:
            variables: How the format holds each column.
        """
        missing_codes = {variable.name: _missing_codes(variable) for variable in variables}
        return {
            **super().options(variables),
            "missing_ranges": {name: codes for name, codes in missing_codes.items() if codes},
            "variable_measure": {variable.name: _measure(variable) for variable in variables},
        }

    def show_numbers(self, variable: HeldColumn) -> str:
        """Return the format in which SPSS shows a column, such as F17.2.

        That is a width of 17 characters with 2 decimals, at most F40.16.
        """
        if variable.storage in (Storage.DATE, Storage.TEXT):
            return super().show_numbers(variable)
        reading = variable.column.reading
        if not isinstance(reading, Decimal) or not reading.places:
            return "F16.0"
        return f"F{min(40, 17 + reading.places)}.{min(16, reading.places)}"


SPSS = Spss(
    name="sav",
    title="SPSS",
    mime="application/x-spss-sav",
    naming=NameRule(
        max_bytes=64,
        reserved=frozenset("all and by eq ge gt le lt ne not or to with".split()),
        first="v",
    ),
    max_label=255,
    max_value_label=120,
    max_value_labels=100_000,
    max_text=32_767,
    first_date=datetime(1582, 10, 15),
    epoch=datetime(1582, 10, 14),
    date_units=(1, 1),
    writer="write_sav",
    date_forms=("DATE11", "DATETIME20"),
    # After 92 bytes of the head come a date of 9 characters and a time of 8.
    stamp=(re.compile(rb"(?s)(\A.{92})(.{17})"), b"01 Jan 8000:00:00"),
)


def _range_of(column: Binned) -> tuple[float, float]:
    """Return the lowest and the highest number of a column.

    Its spans are intervals of whole steps, and a step has a fixed size.
    """
    steps = [end * float(column.step) for span in column.spans for end in span]
    return min(steps), max(steps)


def _missing_codes(variable: HeldColumn) -> list[float | dict[str, float]]:
    """Return the codes of missing values of a column, as pyreadstat takes them.

    SPSS has at most `MAX_MISSING_CODES` codes, or one range of them and one code next to it.
    The list is empty if it cannot have all codes of the column.
    """
    missing = [] if variable.missing is None else [variable.missing]
    texts = [code for code in variable.text_codes.values() if isinstance(code, float)]
    reasons = [*variable.reasons]
    if len(missing) + len(texts) + len(reasons) <= MAX_MISSING_CODES:
        return [*missing, *texts, *reasons]
    # Codes of texts follow each other below all numbers, so they are a range by themselves.
    singles = [*missing, *reasons] if texts else missing
    codes = texts or reasons
    is_range = texts or not _lies_among(variable, min(codes), max(codes))
    if len(singles) > 1 or not is_range:
        return []
    return [*singles, {"lo": min(codes), "hi": max(codes)}]


def _lies_among(variable: HeldColumn, low: float, high: float) -> bool:
    """Return whether a value that is no reason of missing ones has a code in a range.

    Args:
        variable: How the format holds the column.
        low: The lowest code, inside.
        high: The highest code, inside.
    """
    reasons = variable.reason_codes
    column = variable.column
    codes = [code for code in variable.codes if code not in reasons]
    if isinstance(column, Binned):
        first, last = map(float, column.bounds)
        if first <= high and low <= last:
            return True
        codes = [code for code in map(float, column.spikes) if code not in reasons]
    return any(low <= code <= high for code in codes)


def _measure(variable: HeldColumn) -> str:
    """Return the level of measurement of a column, in SPSS's words.

    Codes are ordinal if the declared values have an order.
    """
    if variable.storage in (Storage.NUMBER, Storage.DATE):
        return "scale"
    return "ordinal" if variable.column.extent is not None else "nominal"


def _mark_missing(variable: HeldColumn, marker: str) -> HeldColumn:
    """Return a column whose missing-value marker is a code, if no value has that number.

    Args:
        variable: How the format holds the column.
        marker: The declared marker of missing values; other texts than whole numbers change
            nothing.
    """
    column = variable.column
    is_numeric = variable.storage in (Storage.NUMBER, Storage.CODE)
    if not (column.missing and is_numeric and WHOLE_NUMBER.fullmatch(marker)):
        return variable
    code = float(marker)
    if code in {*variable.codes, *variable.labels}:
        return variable
    if isinstance(column, Binned):
        lowest, highest = _range_of(column)
        if lowest <= code <= highest:
            return variable
    return replace(variable, missing=code, labels={**variable.labels, code: MISSING_LABEL})
