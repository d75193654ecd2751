"""``synth release``: synthetic rows and a certificate from a table.

The table may have a public table as its guess: ``--public FILE --vouched-by NAME``. In place
of a table there may be a package of linked tables, ``PACKAGE/datapackage.json``, which become
synthetic linked tables.
"""

import argparse
import sys
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from synth.bundle import BUNDLED_TABLES, CERTIFICATE, DOMAIN, FORMATS, NOISY
from synth.cli import check, export, ledger
from synth.cli import plan as plans
from synth.cli.beginning import BegunCommand, choose_beginning
from synth.cli.commands import (
    count_options,
    progress,
    read_options,
    tell,
    tell_undeclared,
)
from synth.cli.export import chosen_output
from synth.cli.outputs import (
    FOLDER,
    LINKED_ENDINGS,
    RELEASE_ENDINGS,
    ROWS,
    ZIP,
    check_paid_outputs,
    list_named,
    outputs_by_ending,
)
from synth.cli.plan import read_option
from synth.cli.saying import print_answer, say, set_run
from synth.door import Ledger, drop_spends
from synth.errors import ArgumentError, ReleaseError, SynthError
from synth.privacy import name_cost, plain
from synth.util import Document, FileOutput, FolderOutput, Output, Protection

if TYPE_CHECKING:
    from synth.bundle import LinkedResult, PartedResult, Result
    from synth.estimate import Record
    from synth.plans import LinkedPlan, Plan
    from synth.private.table import PrivateTable


WITHOUT_DOMAIN = """\
without --domain:
  --delta 1e-9 spends half of epsilon, and all of delta, on a private draft of
  the description, and the other half on the rows. --look drafts it from the
  rows. Columns that the draft cannot describe are left out, and named."""
REPEATED = "This release was made before: nothing was spent."
# The sentence if a score was bought together with a repeated release.
ROWS_REPEATED = "This release was made before: nothing was spent on its rows."


def define(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``synth release``, and the function that runs."""
    parser.usage = "%(prog)s TABLE --domain FILE --epsilon E\n         --out PATH [options]"
    parser.epilog = WITHOUT_DOMAIN
    set_run(parser, _release, details=True)
    read_options(parser)
    plans.add_options(parser)
    plans.offer_options(
        parser,
        "look",
        group="columns",
        help="without --domain: draft the description from the private rows; no guarantee "
        "covers it, and the certificate says so",
    )
    plans.offer_options(parser, "public", "vouched_by")
    plans.offer_options(
        parser,
        "out",
        action="append",
        help="what to write, by the ending of PATH: a folder (no ending), one bundle (.zip), "
        "or rows with the certificate next to them (.csv). It may be given once for each",
    )
    others = [name for name in FORMATS if name not in BUNDLED_TABLES]
    plans.in_group(parser, "results").add_argument(
        "--formats",
        metavar="F,F",
        help="formats of the rows in a folder or bundle, in addition to csv and parquet: any "
        f"of {', '.join(others)}; in parts, or in a folder of linked tables: csv (default), "
        "parquet or both",
    )
    plans.offer_options(
        parser,
        "in_parts",
        "overwrite",
        "score",
        "check",
        "anyway",
        "vouch",
        *ledger.SPEND_OPTIONS,
    )
    count_options(parser)


def _release(options: argparse.Namespace) -> None:
    """Release a table, or a package of linked tables; write the files and print the result.

    All that can be refused without the rows is refused before they are counted.
    """
    from synth.bundle import Result
    from synth.spending import synthesize, synthesize_parts

    if is_package(options.table):
        release_package(options)
        return
    _check_choices(options)
    begin = choose_beginning(options)
    ledger.choose_ledger(options)
    protection = check_paid_outputs(options, *_outputs_of(options))
    begun = begin(options)
    plan = begun.plan
    table = begun.table
    book = begun.book
    paid = check.paid_before(options, plan, table, book=book, protection=protection)
    settings: dict[str, Any] = {
        "ledger": book,
        "engine": options.engine,
        "preparations": paid,
        "public": begun.public,
        "progress": progress,
    }
    if options.verbose:
        settings["measured"] = _say_measured
    result: Result | PartedResult
    if begun.place is None:
        result = synthesize(plan, table, **settings)
    else:
        result = synthesize_parts(plan, table, place=begun.place, **settings)
    failed = ""
    price = plans.read_option(options, "score")  # an epsilon; None for no score
    if price is not None and isinstance(result, Result):
        result, failed = _buy_score(options, result, table, price=price, book=book)
    tell(table, options)
    tell_undeclared(table, plan)
    progress("Writing files")
    paths = _write(result, options, book, protection=protection)
    _print_release(options, begun, result, paths=paths)
    if failed:
        drop_spends()  # the answer above says what was spent, so the error does not
        raise ReleaseError(failed)


def _print_release(
    options: argparse.Namespace,
    begun: BegunCommand,
    result: "Result | PartedResult",
    *,
    paths: dict[str, Path],
) -> None:
    """Print a release, as JSON or as lines.

    Args:
        options: The options of the command line.
        begun: The release before its spend, with its plan and ledger.
        result: The release.
        paths: The written files, by their names in a bundle.
    """
    from synth.bundle import write

    plan = begun.plan
    book = begun.book
    summary: Document = {
        **_summarize(plan, result),
        "files": {name: str(path) for name, path in paths.items()},
        "repeated": result.repeated,
        "scores": write(result.scores),
        "ledger": None if book is None else ledger.ledger_summary(book, plan.dataset),
    }
    lines = _lines(plan, result, paths, verbose=options.verbose)
    if begun.remark:
        summary["draft"] = begun.remark
        lines.insert(1, begun.remark)
    print_answer(options, summary, [*lines, *ledger.recording_lines(book)])


def _buy_score(
    options: argparse.Namespace,
    result: "Result",
    table: "PrivateTable",
    *,
    price: Fraction,
    book: Ledger | None,
) -> tuple["Result", str]:
    """Buy a utility score of a release that is paid for already.

    Args:
        options: The options of the command line.
        result: The release.
        table: The confidential table.
        price: The epsilon of the score.
        book: The ledger; None for one in memory only.

    Returns:
        The release with its score and an empty text; or without it, and a sentence why.

    Raises:
        SynthError: It failed, and the files of the release are there already.
    """
    from synth.spending import add_score

    progress("Buying the score")
    ledger = book or Ledger()
    try:
        return add_score(result, table, price, ledger=ledger, engine=options.engine), ""
    except SynthError as error:  # the release is written anyway
        if options.sentence_of_files_there:
            raise
        return result, f"The release was written without a score. {error}"


def _say_measured(marginal: str) -> None:
    say(f"  {marginal}", to=sys.stderr)


def _summarize(plan: "Plan", result: "Result | PartedResult") -> Document:
    """Return the numbers of a release as JSON; all of them are public."""
    from synth.estimate import measured_pairs

    return {
        "rows": result.rows,
        "cells": plan.domain.size,
        "epsilon": str(plan.epsilon),
        "neighbors": plan.neighbors.value,
        **result.record.summary(),
        "expected": _summarize_errors(plan, result.record),
        "rows_fit": result.certificate.rows_fit,
        "mostly_noise": result.is_noise,
        "pairs_measured": measured_pairs(result.record),
        "left_out": dict(plan.domain.decisions.left_out),
        "agreed_losses": dict(plan.domain.decisions.agreed),
    }


def _summarize_errors(plan: "Plan", record: "Record") -> Document | None:
    """Return the expected errors of columns and pairs as JSON; None if they are unknown."""
    from synth.cli.forecast import summarize_ranges
    from synth.forecasts import outlook_of_release

    expectation = outlook_of_release(plan, record)
    return None if expectation is None else summarize_ranges(expectation)


def _lines(
    plan: "Plan", result: "Result | PartedResult", paths: dict[str, Path], *, verbose: bool
) -> list[str]:
    """Return the lines that a release prints.

    Args:
        plan: The plan of the release.
        result: The release.
        paths: The written files, by their names in a bundle.
        verbose: Whether to add the method and what the errors mean.
    """
    cost = name_cost(plan.guarantee(plan.epsilon))
    lines = [f"{result.rows:,} rows, {cost}. {_say_error(result)}"]
    # What makes a release doubtful comes first.
    lines.insert(0 if result.is_doubtful else 1, result.certificate.rows_fit)
    decisions = plan.domain.decisions
    lines += filter(None, (decisions.left_out_sentence, decisions.agreed_sentence))
    if verbose:
        lines += _details(plan, result)
    lines += _list_paths(paths)
    for score in result.scores:
        lines.append(
            f"Bought score, for epsilon {plain(score.epsilon)}: error of pairs "
            f"{score.error:.4f} ± {score.reach:.4f}."
        )
    if result.repeated:
        lines.append(ROWS_REPEATED if result.scores else REPEATED)
    return lines


def _list_paths(paths: dict[str, Path]) -> list[str]:
    """Return lines with the files that most people open, and with the number of the others.

    Args:
        paths: The written files, by their names in a bundle.
    """
    formats = (*BUNDLED_TABLES.values(), *FORMATS.values())
    tables = [kind.file for kind in formats]
    main_names = {*tables, NOISY, DOMAIN, CERTIFICATE, "bundle", "rows", "certificate"}
    main_paths = [path for name, path in paths.items() if name in main_names]
    lines = [f"  {path}" for path in main_paths]
    if len(main_paths) < len(paths):
        lines.append(
            f"  and {len(paths) - len(main_paths)} more files in {main_paths[0].parent}"
        )
    return lines


def _write(
    result: "Result | PartedResult",
    options: argparse.Namespace,
    book: Ledger | None,
    *,
    protection: Protection,
) -> dict[str, Path]:
    """Write a release as the options say: in parts, or by the endings of the outputs.

    Args:
        result: The release.
        options: The options of the command line.
        book: The ledger that records it; None for one in memory only.
        protection: It refuses to replace files.

    Returns:
        The paths by their names in a bundle; of the bundle by "bundle", and of a CSV file
        with the certificate beside it by "rows" and "certificate".
    """
    from synth.bundle import Result

    tables, export_formats = export.chosen_output(options.formats)
    outputs = outputs_by_ending(options.out, RELEASE_ENDINGS)
    if not isinstance(result, Result):
        return result.write(outputs[FOLDER], tables, book, protection=protection)
    formats = export.formats_with_room(result, export_formats)
    paths = {}
    bundle = None
    if ZIP in outputs:
        bundle = result.write_archive(outputs[ZIP], book, formats, protection=protection)
    if FOLDER in outputs:
        paths = result.write(
            outputs[FOLDER], book, formats, bundle=bundle, protection=protection
        )
    if bundle is not None:
        paths["bundle"] = bundle
    if ROWS in outputs:
        rows, certificate = result.write_rows(outputs[ROWS], book, protection=protection)
        paths |= {"rows": rows, "certificate": certificate}
    return paths


def _check_choices(options: argparse.Namespace) -> None:
    """Refuse options of the outputs that exclude each other.

    Raises:
        ArgumentError: They do, or no output is named.
    """
    if not options.out:
        raise ArgumentError(
            "Choose where to write the results: --out FOLDER, --out FILE.zip for one bundle, "
            "or --out FILE.csv for rows with the certificate next to them."
        )
    endings = (FOLDER,) if options.in_parts else RELEASE_ENDINGS
    outputs = outputs_by_ending(options.out, endings)
    if options.in_parts and options.score is not None:
        raise ArgumentError(
            "--in-parts does not go with --score, which needs all rows on this machine."
        )
    _, others = chosen_output(options.formats)
    if options.in_parts and others:
        raise ArgumentError(
            "Parts are written as csv, parquet or both; leave other formats out of --formats."
        )
    if options.formats is not None and [*outputs] == [ROWS]:
        raise ArgumentError(
            "--formats are for a folder or a bundle, and a .csv file has one; leave it out, "
            "or add --out FOLDER."
        )


def _outputs_of(options: argparse.Namespace) -> list[Output]:
    """Return all files and folders that the release may write.

    Without a ledger, it also writes the check that it buys.
    """
    from synth.bundle import folder_names

    if options.in_parts:
        outputs: list[Output] = [FolderOutput(options.out[0], as_new=True)]
    else:
        names = folder_names(chosen_output(options.formats)[1])
        outputs = _named_outputs(options, names)
    is_check_bought = isinstance(read_option(options, "check"), Fraction)
    if is_check_bought and options.ledger is None:
        outputs.append(FileOutput(check.place_of_check(options)))
    return outputs


def _named_outputs(options: argparse.Namespace, names: tuple[str, ...]) -> list[Output]:
    """Return the files and the folder that the options name.

    Args:
        options: The options of the command line.
        names: The files that are written into the folder.
    """
    from synth.bundle import certificate_beside

    paths = outputs_by_ending(options.out, RELEASE_ENDINGS)
    outputs = list_named(paths, names)
    if ROWS in paths:
        outputs.append(FileOutput(certificate_beside(paths[ROWS])))
    return outputs


def _say_error(result: "Result | PartedResult") -> str:
    """Return a sentence on the expected errors of a release."""
    from synth.cli.forecast import describe_errors
    from synth.forecasts import outlook_of_release

    expectation = outlook_of_release(result.plan, result.record)
    if expectation is None:
        return "The expected error depends on how near the public table is, and is not known."
    return describe_errors(expectation)


def _details(plan: "Plan", result: "Result | PartedResult") -> list[str]:
    """Return lines on the guarantee, on what the errors mean, and on the method."""
    from synth.cli.forecast import WHAT_ERRORS_ARE
    from synth.forecasts import explain_lists

    return [
        f"Neighbours: {plan.neighbors.value}; {plan.domain.size:,} cells; {plan.unit}.",
        f"{WHAT_ERRORS_ARE} {explain_lists(plan.domain)}".rstrip(),
        *_method_lines(plan, result),
    ]


def _method_lines(plan: "Plan", result: "Result | PartedResult") -> list[str]:
    """Return a line on the method of a release.

    If a method that chooses pairs found none, the line says so.
    """
    from synth.estimate import RECIPES, name_followed, name_method

    strategy = result.record.strategy
    name = name_followed(plan.method, strategy, plan.domain.size)
    # A histogram of all columns follows no strategy, and "auto" always another (`chooses`).
    # Any other method that the release does not follow looked for pairs, and found none.
    is_followed = strategy is None or plan.method == strategy
    if is_followed or RECIPES[plan.method].chooses:
        return [f"Method: {name}."]
    asked = name_method(plan.method, plan.domain.size)
    return [
        f"Method: {name}. '{asked}' found no pair of columns that stood out from the noise, "
        "so the columns got all of the budget."
    ]


# Rows of the root in a forecast before the release, when none are counted yet.
FORECAST_ROOTS = 10_000
# Options that a package of linked tables does not have.
ONE_TABLE = (
    "plan",
    "domain",
    "columns",
    "look",
    "person",
    "max_rows",
    "method",
    "groups",
    "rules",
    "max_model_mb",
    "repair",
    "repair_seen",
    "rows",
    "favour",
    "predict",
    "moments",
    "in_parts",
    "score",
    "public",
    "vouched_by",
    "check",
)


def is_package(name: str | None) -> bool:
    """Return whether a name is one of a package of linked tables."""
    return name is not None and name.lower().endswith(".json")


def release_package(options: argparse.Namespace) -> None:
    """Release the linked tables of a package, write the files and print the result."""
    from synth.bundle import linked_names
    from synth.domain import read_package
    from synth.plans import LinkedPlan
    from synth.private.counting import open_source
    from synth.private.table import list_remarks
    from synth.spending import collect, mark_of, open_package, refuse_few, synthesize_linked

    formats = _check_options(options)
    ledger.choose_ledger(options)
    package = read_package(options.table)
    base = Path(options.table).parent
    tables = [base / path for path in package.paths.values()]
    outputs = _named_outputs(options, linked_names(package, formats))
    protection = check_paid_outputs(options, *outputs, inputs=tables)
    chosen = {
        name: plans.read_option(options, name) for name in ("epsilon", "neighbors", "delta")
    }
    dataset = options.dataset or package.name
    plan = check.add_linked_vouching(
        options, LinkedPlan(package=package, dataset=dataset, **chosen)
    )
    opened = {
        name: open_source(str(base / path), engine=options.engine, master=options.master)
        for name, path in package.paths.items()
    }
    tables_opened = open_package(package, opened)
    # Joined public tables are left out, because they are no secret.
    protected = {table.name: tables_opened[table.name] for table in package.tables}
    book = ledger.open_ledger(
        options, dataset, plan.neighbors, *protected.values(), costs=[plan.guarantee]
    )
    if book is not None and not options.anyway:
        marks = {name: mark_of(table, book) for name, table in protected.items()}
        refuse_few(plan, collect(plan, book, marks), "--anyway")
    for line in describe_forecast(plan, FORECAST_ROOTS):
        say(line, to=sys.stderr)
    result = synthesize_linked(
        plan, tables_opened, ledger=book, progress=progress, engine=options.engine
    )
    for name, table in tables_opened.items():
        for remark in list_remarks(table):
            say(f"Private, for you alone: '{name}': {remark}", to=sys.stderr)
    progress("Writing files")
    named = outputs_by_ending(options.out, LINKED_ENDINGS)
    paths = {}
    if FOLDER in named:
        paths = result.write(named[FOLDER], book, formats, protection=protection)
    if ZIP in named:
        paths["bundle"] = result.write_archive(named[ZIP], book, protection)
    _print_result(options, result, paths, book=book)


def _check_options(options: argparse.Namespace) -> list[str]:
    """Refuse options that linked tables do not have; return the formats of their rows.

    Raises:
        ArgumentError: An option is missing, or is only for one table.
    """
    plans.refuse_given(
        options,
        ONE_TABLE,
        f"'{Path(options.table).name}' is taken for a package of linked tables, and {{}} is "
        "for one table: name the table first, or leave that option out.",
    )
    if options.epsilon is None:
        raise ArgumentError("The option --epsilon is missing.")
    if options.read:
        raise ArgumentError("Linked tables are read as they are; leave out --read.")
    if not options.out:
        raise ArgumentError(
            "Choose where to write the results: --out FOLDER, --out FILE.zip, or both."
        )
    outputs_by_ending(options.out, LINKED_ENDINGS)  # refuses other endings
    tables, others = chosen_output(options.formats)
    if others:
        raise ArgumentError(
            "Linked tables are written as csv, parquet or both; leave others out of "
            "--formats."
        )
    return [name for name, kind in BUNDLED_TABLES.items() if kind.file in tables]


def _print_result(
    options: argparse.Namespace,
    result: "LinkedResult",
    paths: dict[str, Path],
    *,
    book: Ledger | None,
) -> None:
    """Print a release of linked tables, as JSON or as lines.

    Args:
        options: The options of the command line.
        result: The release.
        paths: The written files by name.
        book: The ledger that records it; None for none.
    """
    plan = result.plan
    rows = result.certificate.rows
    summary: Document = {
        "rows": dict(rows),
        "epsilon": str(plan.epsilon),
        "delta": str(plan.delta),
        "neighbors": plan.neighbors.value,
        "privacy_unit": str(plan.unit),
        "number_of_rows": result.certificate.number_of_rows,
        "files": {name: str(path) for name, path in paths.items()},
        "repeated": result.repeated,
        "ledger": None if book is None else ledger.ledger_summary(book, plan.dataset),
    }
    tables = " and ".join(f"{number:,} {name}" for name, number in rows.items())
    lines = [
        f"{tables}, with {name_cost(plan.guarantee)} ({plan.neighbors.value} of "
        f"{plan.unit}).",
        f"{result.certificate.number_of_rows}.",
        *(f"  {path}" for path in paths.values()),
    ]
    if result.repeated:
        lines.append(REPEATED)
    print_answer(options, summary, [*lines, *ledger.recording_lines(book)])


def describe_forecast(plan: "LinkedPlan", roots: int) -> list[str]:
    """Return a line on the average error of a column of each linked table.

    Args:
        plan: The planned release.
        roots: The assumed number of rows of the root, the table that the others hang from.
    """
    from synth.linked import forecast_linked

    return [
        f"With {roots:,} roots, the average error of a column of '{name}' is {error:.4f} "
        "(share of its rows in the wrong place, by the noise alone)."
        for name, error in forecast_linked(plan.package, plan.account(plan.guarantee), roots)
    ]
