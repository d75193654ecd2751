"""What Python and the command line make of each nasty file, asked for nothing: a table.

PYTHONPATH=. python tests/bench/bench_nasty.py
"""

import io
import re
import time
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

from synth.cli.main import main
from synth.errors import SynthError
from synth.table.choices import EncodingError
from synth.table.plain_copy import look_through, remarks
from synth.table.private_table import open_table
from tests.tables import SHARED

NASTY = SHARED / "nasty"


def outcome(path: Path) -> str:
    """Read, asked about, or refused; and what the steward alone is told."""
    try:
        table = open_table(path)
    except EncodingError as error:
        return "asks for the encoding: " + ", ".join(one.encoding for one in error.candidates[:3])
    except SynthError as error:
        return f"refused: {error}"
    look_through(table)
    parts = [f"{len(table.header):,} columns"]
    if cuts := table.cuts():
        parts.append(f"asks for the delimiter: {cuts[0].delimiter!r}")
    elif hint := table.suggested():
        parts.append(f"suggests {' '.join(hint)}")
    parts += [f"private: {remark}" for remark in remarks(table)[:1]]
    return "; ".join([*parts, *table.notes[:1]])


def status(path: Path) -> int:
    """What the command line exits with."""
    with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
        return main(["domain", "template", str(path)])


def run() -> None:
    """Print the table."""
    index = (NASTY / "INDEX.md").read_text(encoding="utf-8")
    names = re.findall(r"^\| ([^ |]+\.[a-z]+(?:\.[a-z]+)?) \|", index, re.M)
    began, exits = time.process_time(), []
    for name in names:
        exits.append(status(NASTY / name))
        print(f"{name:32} {exits[-1]}  {outcome(NASTY / name)}"[:200])
    print(
        f"{len(names)} files, {exits.count(0)} read, {exits.count(2)} asked about or refused, "
        f"{time.process_time() - began:.1f} CPU s."
    )


if __name__ == "__main__" and NASTY.is_dir():
    run()
