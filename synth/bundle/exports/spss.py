"""SPSS: codes with labels, and codes of missing values. PUBLIC."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from synth.bundle.exports.columns import HeldColumn, Storage
from synth.bundle.exports.format import WHOLE_NUMBER
from synth.bundle.exports.names import NameRule
from synth.bundle.exports.statistics import StatisticsFormat
from synth.domain import MISSING_LABEL, OTHER_LABEL, Binned, Decimal, Domain


@dataclass(frozen=True, eq=False)
class Spss(StatisticsFormat):
    def hold(self, domain: Domain) -> tuple[HeldColumn, ...]:
        """The declared code of missing values stays a code of its own."""
        return tuple(
            _mark_missing(one, domain.missing_marker) for one in super().hold(domain)
        )

    def hold_outside(self, plain: HeldColumn, column: Binned) -> HeldColumn:
        """Hold numbers, those outside as a missing code: the first of -98, -998, ... below
        all.
        """
        low, codes = _ends(column)[0], (2 - int(10**digits) for digits in range(2, 40))
        code = next(code for code in codes if code < low)
        note = f"Column '{column.name}': '{OTHER_LABEL}' is the missing code {code}."
        held = replace(plain, storage=Storage.NUMBER, other=float(code), notes=(note,))
        return replace(held, labels={float(code): OTHER_LABEL})

    def options(self, held: tuple[HeldColumn, ...]) -> Mapping[str, Any]:
        missing = {
            one.name: [c for c in (one.missing, one.other) if c is not None] for one in held
        }
        return {
            **super().options(held),
            "missing_ranges": {name: codes for name, codes in missing.items() if codes},
            "variable_measure": {one.name: _measure(one) for one in held},
        }

    def show_numbers(self, one: HeldColumn) -> str:
        if one.storage in (Storage.DATE, Storage.TEXT):
            return super().show_numbers(one)
        reading = one.column.reading
        places = reading.places if isinstance(reading, Decimal) else 0
        return f"F{min(40, 17 + places)}.{min(16, places)}" if places else "F16.0"


SPSS = Spss(
    name="sav",
    title="SPSS",
    mime="application/x-spss-sav",
    naming=NameRule(
        most=64,
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
    stamp=(re.compile(rb"(?s)(\A.{92})(.{17})"), b"01 Jan 8000:00:00"),
)


def _ends(column: Binned) -> tuple[float, float]:
    steps = [end * float(column.step) for span in column.spans for end in span]
    return min(steps), max(steps)


def _measure(one: HeldColumn) -> str:
    if one.storage in (Storage.NUMBER, Storage.DATE):
        return "scale"
    return "ordinal" if one.column.extent is not None else "nominal"


def _mark_missing(held: HeldColumn, marker: str) -> HeldColumn:
    column = held.column
    numeric = held.storage in (Storage.NUMBER, Storage.CODE)
    if not (column.missing and numeric and WHOLE_NUMBER.fullmatch(marker)):
        return held
    code = float(marker)
    if code in {*held.codes, *held.labels, held.other}:
        return held
    if isinstance(column, Binned):
        low, high = _ends(column)
        if low <= code <= high:
            return held
    return replace(held, missing=code, labels={**held.labels, code: MISSING_LABEL})
