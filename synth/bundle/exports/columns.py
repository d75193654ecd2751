"""A column in a format. PUBLIC."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from synth.domain import EPOCH, OTHER_LABEL, Column


class Storage(StrEnum):
    """How a format stores the cells of a column."""

    NUMBER = "numbers"
    CODE = "codes"
    TEXT = "texts"
    DATE = "dates"
    BOOLEAN = "truth values"


@dataclass(frozen=True, kw_only=True)
class HeldColumn:
    """A column in a format. PUBLIC.

    Attributes:
        column: The declared column.
        name: The name of the column in the format.
        label: Its description in the format.
        storage: How its cells are stored.
        codes: The code of each cell of a column that lists its values, in order.
        labels: The label of each code that has one.
        text_codes: What stands for each text among numbers, which is a sign or the label of
            values outside: a code, a letter in Stata, or the text itself in Excel.
        missing: The code of missing values, if they have one.
        reasons: The format's mark of each value that means a missing one, by its code: the
            code itself, as a missing value of the file, or a letter in Stata.
        epoch: The zero of dates.
        unit: The unit of dates, in seconds.
        notes: A sentence for each thing the format can't express.
    """

    column: Column
    name: str
    label: str = ""
    storage: Storage = Storage.TEXT
    codes: tuple[float, ...] = ()
    labels: Mapping[float, str] = field(default_factory=dict)
    text_codes: Mapping[str, float | str] = field(default_factory=dict)
    missing: float | None = None
    reasons: Mapping[float, float | str] = field(default_factory=dict)
    epoch: datetime = EPOCH
    unit: float = 1.0
    notes: tuple[str, ...] = ()

    @property
    def reason_codes(self) -> dict[float, str]:
        """The values that mean a missing one by their codes, if values have codes."""
        if self.storage is Storage.NUMBER:
            signs = self.column.signs
            return {float(code): code for code in self.column.reasons if code not in signs}
        cells = self.column.cells
        return {
            code: cell
            for code, cell in zip(self.codes, cells, strict=False)
            if cell in self.column.reasons
        }

    @property
    def texts(self) -> list[str]:
        """The labels of the cells, without the label of missing values."""
        return [
            label
            for code, label in enumerate(self.column.cells)
            if code != self.column.missing_code
        ]

    @property
    def texts_among_values(self) -> list[str]:
        """The texts that stand among a column's numbers or dates.

        They are its declared signs, such as ``<5`` or ``refused``, and the label of values
        outside.
        """
        texts = [*self.column.signs]
        if self.column.other_code is not None:
            texts.append(OTHER_LABEL)
        return texts
