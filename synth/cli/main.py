"""The command line: ``synth release|ask|analyse|replicates|collect|verify|compare|ledger|app``.

Without an installation, use ``python -m synth``.

Results go to stdout, progress to stderr. The exit status is 0, or 2 with one sentence; `verify` has
its own statuses.
"""

import argparse
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, NoReturn

from synth.cli.saying import let_go_of_output, say
from synth.door import add_note, note_standing
from synth.errors import ArgumentError, SynthError

COMMANDS = {
    "release": "make a synthetic table and its certificate",
    "compare": "compare real and synthetic (private!)",
    "forecast": "expected utility, before spending",
    "example": "write the simulated survey and its domain",
    "check": "do rows fit the declaration? (before a release)",
    "ask": "answer questions with noise: counts, tables, means, quantiles, regressions and more",
    "analyse": "answer questions from a bundle alone, each with an interval",
    "collect": "ask people by a form that randomises their answers before they leave",
    "domain": "check, convert or draft a declaration of columns",
    "dummy": "make a dummy table from the declaration alone, to write code with",
    "draw": "draw rows of a bundle again: under a condition, or with shares that you set",
    "export": "write the rows of a bundle for Excel, SPSS, Stata or SAS, or as typed Parquet",
    "replicates": "make several tables of a bundle's noisy counts, for multiple imputation",
    "ledger": "read, check or export a ledger",
    "verify": "check a bundle, or answers: files, certificate and what it claims",
    "app": "serve the app on this machine, until Ctrl-C",
    "desktop": "open the app in a window of its own",
}
"""Modules of this package; only the one of the current command is imported."""


class _Once(argparse.Action):
    """Store a value, and refuse a second one instead of using the last."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        found: argparse.Namespace,
        values: object,
        name: str | None = None,
    ) -> None:
        given: frozenset[str] = getattr(found, "given", frozenset())
        if self.dest in given:
            parser.error(f"the option {name} is given twice; leave one")
        found.given = given | {self.dest}
        setattr(found, self.dest, values)


class _Parser(argparse.ArgumentParser):
    """A parser with one-sentence errors that accepts each option once."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.register("action", None, _Once)
        self.register("action", "store", _Once)

    def error(self, message: str) -> NoReturn:
        sentence = f"{message[:1].upper()}{message[1:]} (see {self.prog} --help)."
        raise ArgumentError(sentence)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; return the exit status."""
    try:
        with note_standing("the same command"):
            words = sys.argv[1:] if arguments is None else arguments
            wanted = next((word for word in words if word in COMMANDS), "")
            options = parser(wanted).parse_args(words)
            return int(options.run(options) or 0)
    except SynthError as error:
        return _fail(str(error))
    except MemoryError as error:
        return _fail(add_note("There is not enough memory for this; coarsen the domain.", error))
    except KeyboardInterrupt as error:
        print("\n" * sys.stderr.isatty(), end="", file=sys.stderr)  # a bar may be on the line
        return _fail(add_note("Stopped.", error))
    except BrokenPipeError as error:
        let_go_of_output()
        said = add_note("Nobody reads the output any more.", error)
        return _fail(said) if hasattr(error, "__notes__") else 0
    except Exception as error:  # noqa: BLE001 - a traceback could show private values
        kind = type(error).__name__
        return _fail(add_note(f"Synth failed in a way it did not expect ({kind}).", error))


def program_name(program: str) -> str:
    """Return the name of this command line as it was called, for its help.

    >>> program_name("/somewhere/bin/synth"), program_name("synth/__main__.py")
    ('synth', 'python -m synth')
    """
    return "synth" if Path(program).stem == "synth" else "python -m synth"


def parser(wanted: str | None = None) -> argparse.ArgumentParser:
    """Return the parser of all commands, with the options of only the wanted one."""
    parser = _Parser(prog=program_name(sys.argv[0]), description="Private synthetic tables.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, summary in COMMANDS.items():
        one = commands.add_parser(name, help=summary, description=summary)
        if wanted in (None, name):
            import_module(f"synth.cli.{name}").define(one)
    return parser


def _fail(sentence: str) -> int:
    say(sentence, to=sys.stderr)
    return 2
