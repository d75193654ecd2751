"""Stata: codes with labels, and letters for missing values. PUBLIC."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from string import ascii_lowercase
from typing import Any

from synth.bundle.exports.columns import HeldColumn, Storage
from synth.bundle.exports.names import NameRule
from synth.bundle.exports.statistics import StatisticsFormat
from synth.domain import DAY, OTHER_LABEL, Binned

# The letter of the missing value for values outside, ``.o``, and those for signs.
_MARKED_OTHER = "o"
_MARKED_SIGNS = tuple(letter for letter in ascii_lowercase if letter != _MARKED_OTHER)

_RESERVED = (
    "_all _b byte _coef _cons double float if in int _n long _pi _pred _rc _skip "
    "strl using with"
)


@dataclass(frozen=True, eq=False)
class Stata(StatisticsFormat):
    """Files of Stata, which have letters for missing values."""

    def hold_texts(self, variable: HeldColumn, column: Binned) -> HeldColumn:
        """Hold numbers, and texts among them as letters of missing values.

        Signs get ``.a``, ``.b`` and so on, and values outside the bounds ``.o``. The column
        is text if the letters are too few.

        Args:
            variable: The column as texts, with its name.
            column: The declared column.
        """
        if len(column.signs) > len(_MARKED_SIGNS):
            return super().hold_texts(variable, column)
        letters = dict(zip(column.signs, _MARKED_SIGNS, strict=False))
        if column.other_code is not None:
            letters[OTHER_LABEL] = _MARKED_OTHER
        notes = tuple(
            f"Column '{column.name}': '{text}' is the missing value .{letter}."
            for text, letter in letters.items()
        )
        return replace(variable, storage=Storage.NUMBER, text_codes=letters, notes=notes)

    def options(self, variables: tuple[HeldColumn, ...]) -> Mapping[str, Any]:
        """Return the options of pyreadstat's function, with the letters of missing values.

        Args:
            variables: How the format holds each column.
        """
        letters = {
            variable.name: [*variable.text_codes.values()]
            for variable in variables
            if variable.text_codes
        }
        return {**super().options(variables), "missing_user_values": letters}


STATA = Stata(
    name="dta",
    title="Stata",
    mime="application/x-stata-dta",
    # Stata takes 32 characters; pyreadstat refuses that many for sets of labels.
    naming=NameRule(max_bytes=31, reserved=frozenset(_RESERVED.split())),
    max_label=80,
    max_value_label=32_000,
    max_value_labels=65_536,
    first_date=datetime(100, 1, 1),
    epoch=datetime(1960, 1, 1),
    date_units=(DAY, 0.001),
    writer="write_dta",
    date_forms=("%td", "%tc"),
    # The byte before the time is its length, 17.
    stamp=(re.compile(rb"(<timestamp>\x11)(.{17})"), b"01 Jan 1980 00:00"),
)
