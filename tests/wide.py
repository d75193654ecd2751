"""Wide declarations and their tables, of every kind of column, for tests and benches."""

from pathlib import Path
from typing import Any

from pages.ui.shell.draft import Draft
from pages.ui.shell.release import Source
from synth.private.table import open_table


def field(number: int) -> dict[str, Any]:
    """The declaration of one column: eight kinds in turn, no two of quite the same size."""
    name = f"c{number:03}"
    required = {"required": number % 3 == 0}
    codes = [str(code) for code in range(2 + number % 15)]
    bounds = {"minimum": 0, "maximum": 99 + number}
    kinds: tuple[dict[str, Any], ...] = (
        {"type": "string", "constraints": {"enum": codes, **required}},
        {
            "type": "integer",
            "constraints": {**bounds, **required},
            "synth:bins": 5 + number % 20,
        },
        {"type": "boolean", "constraints": required},
        {"type": "number", "constraints": {**bounds, **required}, "synth:bins": 10},
        {
            "type": "date",
            "constraints": {"minimum": "2020-01-01", "maximum": "2024-12-31", **required},
            "synth:period": "month",
        },
        {"type": "string", "constraints": {"enum": [*codes, "x", "y"], **required}},
        {
            "type": "integer",
            "constraints": {"minimum": 0, "maximum": 99_999, **required},
            "synth:bins": 3_000 + number,
        },
        {"type": "string", "constraints": {"enum": list(map(str, range(1_000))), **required}},
    )
    return {"name": name, **kinds[number % len(kinds)]}


def cell(number: int, row: int) -> str:
    """A value of that column."""
    day = f"202{row % 5}-0{1 + row % 9}-1{row % 9}"
    values = (
        str(row % 2),
        str(row % 90),
        "true",
        f"{row % 90}.5",
        day,
        "x",
        "7",
        str(row % 120),
    )
    return values[number % len(values)]


def wide_table(folder: Path, columns: int, rows: int = 200) -> Path:
    """A CSV with so many columns."""
    path = folder / f"wide_{columns}.csv"
    lines = [",".join(f"c{number:03}" for number in range(columns))]
    lines += [",".join(cell(number, row) for number in range(columns)) for row in range(rows)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def wide_draft(folder: Path, columns: int, **choices: Any) -> Draft:
    """A session in which such a table was chosen and declared."""
    path = wide_table(folder, columns)
    fields = tuple(field(number) for number in range(columns))
    return Draft(
        source=Source(title=path.name, table=open_table(path)), fields=fields, **choices
    )
