"""The model case of a declaration that no row fits: dates declared as a number."""

import json
from pathlib import Path

from synth.util import Document
from tests.tables import write

ROWS = 9_357

SEX: Document = {
    "name": "sex",
    "type": "string",
    "constraints": {"enum": ["F", "M"], "required": True},
}
NUMBER: Document = {
    "name": "day",
    "type": "integer",
    "constraints": {"minimum": 0, "maximum": 100, "required": True},
    "synth:bins": 10,
}
DATE: Document = {
    "name": "day",
    "type": "date",
    "format": "%d.%m.%Y",
    "constraints": {"minimum": "01.01.2010", "maximum": "31.12.2023", "required": True},
}


def write_dates(path: Path, rows: int = ROWS) -> Path:
    """A table of days and sexes without a missing cell."""
    days = (f"{1 + i % 28:02d}.{1 + i % 12:02d}.{2010 + i % 14}" for i in range(rows))
    return write(path, ["day", "sex"], [[day, "FM"[i % 2]] for i, day in enumerate(days)])


def write_declaration(path: Path, day: Document = NUMBER, **stamps: object) -> Path:
    """The declaration with one or the other kind of day."""
    content = {
        "fields": [day, SEX],
        **{f"synth:{key}": stamp for key, stamp in stamps.items()},
    }
    path.write_text(json.dumps(content), encoding="utf-8")
    return path
