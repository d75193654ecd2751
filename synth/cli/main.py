"""The command line: ``synth release|ask|analyse|collect|verify|compare|forecast|ledger|app``.

``python -m synth`` is the same where nothing is installed.

Results go to stdout, progress to stderr. It exits with 0, or with 2 and one sentence.
"""

import argparse
import sys
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, NoReturn

from synth.bundle.result import Result
from synth.bundle.texts import in_words
from synth.bundle.typed_json import write
from synth.bundle.writer import Output, prepare
from synth.check import Document
from synth.cli import analyse, app, ask, check, collect, compare, desktop, export, ledger, verify
from synth.cli import domain as domains
from synth.cli import plan as plans
from synth.cli.commands import (
    command,
    count_options,
    print_answer,
    progress,
    read_options,
    table_from,
    tell,
)
from synth.cli.public import add_public_options, public_from, see_apart
from synth.counting.counts import Engine
from synth.errors import ArgumentError, SynthError
from synth.forecasts.histogram import SMALL_GROUP, cells_for, epsilon_for, forecast
from synth.ledger.ledger import Ledger
from synth.ledger.names import shown
from synth.pipeline import add_score, synthesize
from synth.plan import Method, Plan
from synth.privacy.budget import plain
from synth.privacy.guarantee import parse_epsilon, parse_rational


class _Once(argparse.Action):
    """Stores a value, and refuses a second one: the last would win in silence."""

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
    """A parser whose errors are one sentence, and that takes each option once."""

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
        options = parser().parse_args(arguments)
        options.run(options)
    except SynthError as error:
        return _fail(str(error))
    except MemoryError:
        return _fail("There is not enough memory for this; coarsen the domain.")
    except KeyboardInterrupt:
        return _fail("Stopped.")
    except BrokenPipeError:
        return 0
    except Exception as error:  # noqa: BLE001 - a traceback could show private values
        return _fail(f"Synth failed in a way it did not expect ({type(error).__name__}).")
    return 0


def called(program: str) -> str:
    """How this command line was called, for its help.

    >>> called("/somewhere/bin/synth"), called("synth/__main__.py")
    ('synth', 'python -m synth')
    """
    return "synth" if Path(program).stem == "synth" else "python -m synth"


def parser() -> argparse.ArgumentParser:
    parser = _Parser(prog=called(sys.argv[0]), description="Private synthetic tables.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    release = command(commands, "release", _release, "make a synthetic table and its certificate")
    read_options(release)
    plans.add_options(release)
    release.add_argument("--out", metavar="DIR", help="folder for the results")
    release.add_argument(
        "--output",
        default=Output.CSV.value,
        metavar="F,F",
        help="as what the synthetic rows are written to DIR: csv, parquet, both; and, in the "
        f"bundle too, any of {export.FORMATS.removesuffix(', parquet')} (default: csv)",
    )
    release.add_argument("--bundle", metavar="FILE.zip", help="one zip with all of them and more")
    release.add_argument("--score", metavar="E", help="buy a utility score for this epsilon more")
    add_public_options(release)
    check.add_check_options(release)
    ledger.add_options(release)
    count_options(release)
    comparison = command(commands, "compare", _compare, "compare real and synthetic (private!)")
    read_options(comparison)
    compare.add_options(comparison)
    prediction = command(commands, "forecast", _forecast, "expected utility, before spending")
    plans.declare(prediction)
    plans.spend(prediction)
    prediction.add_argument("--rows", required=True, metavar="N", help="about how many rows")
    prediction.add_argument("--error", metavar="T", help="what would bring pairs to this error?")
    example = command(commands, "example", _example, "write the simulated survey and its domain")
    example.add_argument("--out", required=True, metavar="DIR", help="folder for the files")
    check.add(commands, print_answer)
    ask.add(commands)
    analyse.add(commands)
    collect.add(commands, print_answer)
    domains.add(commands, print_answer)
    export.add(commands, print_answer)
    ledger.add(commands)
    verify.add(commands)
    app.add(commands)
    desktop.add(commands)
    return parser


def _release(options: argparse.Namespace) -> None:
    plan, public = public_from(options, check.vouched(options, plans.plan_from(options)))
    price = None if options.score is None else parse_epsilon(options.score)
    plan.check_size()
    _prepare(options, plan)
    engine = Engine(options.engine)
    table = table_from(options, engine, options.master)
    see_apart(options, table)
    book = ledger.open_ledger(options, plan.dataset, plan.neighbors, table)
    paid = check.paid_before(options, plan, table, book)
    result = synthesize(
        plan,
        table,
        ledger=book,
        progress=progress,
        measured=_measured,
        engine=engine,
        preparations=paid,
        public=public,
    )
    check.hold_back(options, result, book)
    if price is not None:
        progress("Buying the score")
        result = add_score(result, table, price, ledger=book or Ledger(), engine=engine)
    tell(table)
    progress("Writing files")
    paths = _write(result, options, book)
    summary: Document = {
        **_told(plan, result),
        "files": {name: str(path) for name, path in paths.items()},
        "repeated": result.repeated,
        "scores": write(result.scores),
        "ledger": None if book is None else ledger.recorded(book, plan.dataset),
    }
    print_answer(options, summary, _lines(plan, result, paths))


def _told(plan: Plan, result: Result) -> Document:
    """What was released, in numbers."""
    return {
        "rows": result.synthetic.rows,
        "cells": plan.domain.size,
        "epsilon": str(plan.epsilon),
        "neighbors": plan.neighbors.value,
        **result.record.summary(),
        "rows_fit": result.certificate.rows_fit,
    }


def _lines(plan: Plan, result: Result, paths: dict[str, Path]) -> list[str]:
    """The same in words; that few rows fit comes first."""
    said = result.certificate.rows_fit
    return [
        *([said] if result.is_noise else []),
        f"{result.synthetic.rows:,} synthetic rows with epsilon {plan.epsilon} "
        f"({plan.neighbors.value}, {plan.domain.size:,} cells).",
        *([] if result.is_noise else [said]),
        *_followed(plan, result),
        *(f"  {path}" for path in paths.values()),
        *(
            f"Bought score: pairs are {score.error:.4f} off, give or take {score.reach:.4f}."
            for score in result.scores
        ),
        *(["This release was made before: nothing was spent."] if result.repeated else []),
    ]


def _write(result: Result, options: argparse.Namespace, book: Ledger | None) -> dict[str, Path]:
    """Write what was asked for; beside a bundle, its own files and its certificate."""
    output, wanted = export.chosen_output(options.output)
    formats = export.formats_with_room(result, wanted)
    bundle = result.write_archive(options.bundle, book, formats) if options.bundle else None
    paths = {}
    if options.out:
        paths = result.write(options.out, output, bundle=bundle, formats=formats)
    return paths | ({"bundle": bundle} if bundle else {})


def _prepare(options: argparse.Namespace, plan: Plan) -> None:
    """See that the results can be written, before anything is spent."""
    if not options.out and not options.bundle:
        message = "Say where the results go: --out DIR, --bundle FILE.zip, or both."
        raise ArgumentError(message)
    export.check_formats(options.output, plan)
    if options.out:
        prepare(options.out)
    if options.bundle:
        prepare(Path(options.bundle).parent)


def _followed(plan: Plan, result: Result) -> list[str]:
    """Which strategy was followed, and why, where another was requested."""
    strategy = result.record.strategy
    if strategy is None:
        return []
    if plan.method.value in (strategy, "auto"):
        return [f"Strategy: {strategy}."]
    return [
        f"Strategy: {strategy}; '{plan.method}' found no pair of columns that could be told "
        "from noise, so that the columns got all of the budget."
    ]


def _compare(options: argparse.Namespace) -> None:
    progress("Comparing")
    table = table_from(options)
    compare.run(options, table, print_answer)
    tell(table)


def _forecast(options: argparse.Namespace) -> None:
    domain, neighbors = plans.domain_from(options), plans.neighbors_from(options)
    epsilon, rows = parse_epsilon(options.epsilon), plans.rows_from(options.rows)
    unit = plans.unit_from(options)
    expected = forecast(domain, epsilon=epsilon, rows=rows, neighbors=neighbors, unit=unit)
    plan = Plan(domain, epsilon, neighbors, method=Method.AUTO, unit=unit)
    methods, lines = _methods(plan, rows)
    summary: Document = {**expected.summary(), "methods": methods}
    text = [
        f"{expected.cells:,} cells, noise of scale {expected.noise_scale:g} on each.",
        *compare.utility_lines(expected)[-2:],
        f"Clamping would invent about {expected.invented:,.0f} rows.",
        f"Groups of {SMALL_GROUP} rows that leave no trace: {expected.lost:.0%}.",
        in_words(epsilon),
        *lines,
    ]
    if options.error is not None:
        wanted = _share(options.error)
        enough = epsilon_for(domain, error=wanted, rows=rows, neighbors=neighbors, unit=unit)
        cells = cells_for(
            domain, error=wanted, epsilon=epsilon, rows=rows, neighbors=neighbors, unit=unit
        )
        needs = {"epsilon": enough, "cells": cells}
        summary["needed"] = {k: None if v is None else str(v) for k, v in needs.items()}
        text += _needed_lines(wanted, epsilon, enough, cells)
    print_answer(options, summary, text)


def _share(text: str) -> float:
    share = parse_rational(text, name="--error")
    if not 0 < share <= 1:
        message = f"--error must be a share above 0 and up to 1, such as 0.05, but it is {share}."
        raise ArgumentError(message)
    return float(share)


def _methods(plan: Plan, rows: int) -> tuple[list[Document], list[str]]:
    """What every method is likely to do, pairs as a range: links of columns are not known."""
    from synth.forecasts.methods import (
        outlooks,  # needs the models, which a histogram_forecast does without
    )

    told: list[Document] = []
    lines = [
        "Share of rows in the wrong place (total variation), where four of five releases are, if",
        "columns have in common what they usually have:",
    ]
    for one in outlooks(plan, rows):
        method, pairs = one.method.value, one.pairs
        spans = (f"{ends.low:.4f} to {ends.high:.4f}" for ends in (one.columns, pairs))
        columns, of_pairs = spans
        lines.append(
            f"  {method:11} columns {columns}  pairs {of_pairs}  {max(1, one.seconds):.0f} s"
        )
        told.append(
            {
                "method": method,
                "columns": one.columns._asdict(),
                "pairs": pairs._asdict(),
                "seconds": one.seconds,
            }
        )
    return told, lines


def _needed_lines(
    wanted: float, epsilon: Fraction, enough: Fraction | None, cells: int | None
) -> list[str]:
    """What would bring the pairs to an error."""
    return [
        f"For pairs to be {wanted:g} off, epsilon {plain(enough)} would do."
        if enough is not None
        else f"No epsilon up to 100 brings pairs to {wanted:g}.",
        f"At epsilon {plain(epsilon)}, no column may have more than {cells} cells for that."
        if cells is not None
        else f"At epsilon {plain(epsilon)}, no coarsening does; leave out columns.",
    ]


def _example(options: argparse.Namespace) -> None:
    from synth.lessons.survey import (
        write_example,  # needs pandas, which the other commands do without
    )

    paths = write_example(prepare(options.out))
    print_answer(options, {"files": [str(p) for p in paths]}, [f"  {path}" for path in paths])


def _measured(what: str) -> None:
    print(f"  {what}", file=sys.stderr)


def _fail(sentence: str) -> int:
    print(shown(sentence), file=sys.stderr)
    return 2
