"""Every command imports what it uses, and no more: `synth --help` answers at once."""

import subprocess
import sys

import pytest

from synth.cli.main import COMMANDS, parser

HEAVY = (
    "numpy",
    "pandas",
    "pyarrow",
    "duckdb",
    "plotly",
    "streamlit",
    "jsonschema",
    "pyspark",
)
TABLES = {"numpy", "pyarrow", "duckdb"}

USED = {
    "": set(),
    "app": set(),
    "desktop": set(),
    "ledger": {"numpy"},
    "approve": {"numpy"},
    "verify": {"numpy"},
    "dossier": TABLES,
    "analyse": {"numpy", "duckdb"},
    "example": {*TABLES, "pandas"},
    **dict.fromkeys(("release", "compare", "forecast", "check", "ask"), TABLES),
    **dict.fromkeys(("collect", "domain", "draw", "dummy", "export", "replicates"), TABLES),
}
"""What the parser of each command may import; "" is `synth --help`."""


def imported_packages(program: str) -> set[str]:
    """The heavy packages that a program of its own has imported at its end."""
    code = f"import sys; {program}; print(*{{*sys.modules}} & {{*{HEAVY}}})"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    return set(done.stdout.split())


@pytest.mark.slow
@pytest.mark.parametrize("command", USED)
def test_a_command_imports_what_it_uses(command: str) -> None:
    """Making the parser of a command imports no heavy package that the command
    does not need.
    """
    modules = imported_packages(f"from synth.cli.main import parser; parser({command!r})")
    assert modules <= USED[command]


def test_the_package_imports_nothing_before_it_is_used() -> None:
    """`import synth` imports no heavy package until one of its names is used.

    The second program shows that the test would notice an import.
    """
    assert imported_packages("import synth; dir(synth)") == set()
    assert "pyarrow" in imported_packages("import synth; synth.release"), (
        "the test sees what is imported"
    )


def test_every_command_is_looked_at() -> None:
    assert {*USED} == {"", *COMMANDS}


def test_a_command_that_is_not_wanted_is_known_by_name() -> None:
    """A parser for one command parses that command, and the help of all still lists every
    command.
    """
    assert (
        parser("ledger").parse_args(["ledger", "show", "--ledger", "l.db"]).ledger == "l.db"
    )
    known_commands = {
        line.split()[0] for line in parser("").format_help().splitlines() if line.strip()
    }
    assert known_commands >= COMMANDS.keys()
