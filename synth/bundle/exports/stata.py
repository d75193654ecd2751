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
_LETTER = re.compile(r"\.[a-z]")
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

        Signs get ``.a``, ``.b`` and so on, and values outside the bounds ``.o``. A sign such
        as ``.a`` keeps its letter. The column is text if the letters are too few.

        Args:
            variable: The column as texts, with its name.
            column: The declared column.
        """
        if len(column.signs) > len(_MARKED_SIGNS):
            return super().hold_texts(variable, column)
        letters = {
            sign: sign[1:]
            for sign in column.signs
            if _LETTER.fullmatch(sign) and sign[1:] in _MARKED_SIGNS
        }
        free_letters = [letter for letter in _MARKED_SIGNS if letter not in letters.values()]
        unmarked_signs = [sign for sign in column.signs if sign not in letters]
        letters |= dict(zip(unmarked_signs, free_letters, strict=False))
        if column.other_code is not None:
            letters[OTHER_LABEL] = _MARKED_OTHER
        notes = tuple(
            f"Column '{column.name}': '{text}' is the missing value .{letter}."
            for text, letter in letters.items()
            if text != f".{letter}"
        )
        return replace(variable, storage=Storage.NUMBER, text_codes=letters, notes=notes)

    def hold_reasons(self, variable: HeldColumn) -> HeldColumn:
        """Hold values that mean a missing one as letters of missing values.

        A value such as ``.a`` keeps its letter. The others get those that are free, in order.

        Args:
            variable: How the format holds the column, with labels.
        """
        reasons = variable.reason_codes
        letters = {
            code: text[1:] for code, text in reasons.items() if _LETTER.fullmatch(text)
        }
        used_letters = {_MARKED_OTHER, *letters.values(), *variable.text_codes.values()}
        free_letters = [letter for letter in ascii_lowercase if letter not in used_letters]
        unmarked_codes = [code for code in reasons if code not in letters]
        if not reasons or len(unmarked_codes) > len(free_letters):
            return super().hold_reasons(variable)
        letters |= dict(zip(unmarked_codes, free_letters, strict=False))
        notes = tuple(
            f"Column '{variable.column.name}': '{reasons[code]}' is the missing value "
            f".{letter}."
            for code, letter in letters.items()
            if reasons[code] != f".{letter}"
        )
        return replace(variable, reasons=letters, notes=(*variable.notes, *notes))

    def options(self, variables: tuple[HeldColumn, ...]) -> Mapping[str, Any]:
        """Return the options of pyreadstat's function, with the letters of missing values.

        Args:
            variables: How the format holds each column.
        """
        letters = {
            variable.name: [
                mark
                for mark in (*variable.text_codes.values(), *variable.reasons.values())
                if isinstance(mark, str)
            ]
            for variable in variables
        }
        letters = {name: marks for name, marks in letters.items() if marks}
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
