"""``python -m synth check``: how many rows fit the domain, before a release."""

import argparse
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

from synth.cli import ledger as ledgers
from synth.cli import plan as plans
from synth.cli.commands import count_options, progress, read_options, table_from, tell
from synth.cli.outputs import (
    FOLDER,
    RELEASE_ENDINGS,
    check_outputs,
    check_paid_outputs,
    outputs_by_ending,
)
from synth.cli.saying import print_answer, sentence_of, set_run
from synth.domain import LOOKED_UP, write_schema
from synth.door import Ledger, Preparation, drop_spends
from synth.errors import ArgumentError, ReleaseError
from synth.plans import ALONE
from synth.privacy import name_cost
from synth.private.table import PrivateTable
from synth.util import Document, FileOutput, Protection

if TYPE_CHECKING:
    from synth.estimate import FitCheck
    from synth.plans import LinkedPlan, Plan

MAY_DEPEND = (
    "From now on the declaration may depend on the table, and every release with it says so."
)
# The option that stores a paid check if there is no ledger.
KEPT = "check.json"


def define(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``synth check``, and the function that runs."""
    set_run(parser, _run)
    parser.usage = "%(prog)s TABLE --domain FILE --epsilon E [options]"
    read_options(parser)
    plans.offer_options(parser, "domain", required=True)
    plans.spend(parser, required=False)
    plans.offer_options(
        parser, "rows", group="guarantee", help="instead of --epsilon: about how many rows"
    )
    plans.offer_options(
        parser, "columns", help="also count these one by one, each for the same epsilon"
    )
    plans.offer_options(parser, "look")
    plans.offer_options(
        parser,
        "out",
        metavar="FILE",
        help="with --look: the declaration with a note of the look; else the check, for "
        "release --check FILE",
    )
    plans.offer_options(parser, "overwrite")
    plans.offer_options(parser, *ledgers.SPEND_OPTIONS)
    count_options(parser)


def _run(options: argparse.Namespace) -> None:
    """Print exact numbers of rows that fit with ``--look``; else buy noisy ones."""
    if options.look:
        _look(options)
    else:
        _check(options)


def add_vouching(options: argparse.Namespace, plan: "Plan") -> "Plan":
    """Return the plan, marked as vouched for if the steward says so by ``--vouch``.

    The steward then declares that a declaration that was taken from the rows is public
    nevertheless.

    Raises:
        ArgumentError: Nothing was taken from the rows.
    """
    if not options.vouch:
        return plan
    if plan.domain.origin != LOOKED_UP:
        raise ArgumentError(
            "--vouch is for a declaration that was taken from the rows; this one was not."
        )
    return replace(plan, domain=replace(plan.domain, vouched=True))


def add_linked_vouching(options: argparse.Namespace, plan: "LinkedPlan") -> "LinkedPlan":
    """Return the plan of linked tables, marked as vouched for by ``--vouch``.

    Only declarations that were taken from the rows are marked.

    Raises:
        ArgumentError: Nothing was taken from the rows of any table.
    """
    if not options.vouch:
        return plan
    if plan.package.provenance.origin != LOOKED_UP:
        raise ArgumentError(
            "--vouch is for declarations that were taken from the rows; none of these was."
        )
    package = plan.package.with_domains(
        lambda table: replace(
            table.domain, vouched=table.domain.vouched or table.domain.origin == LOOKED_UP
        )
    )
    return replace(plan, package=package)


def paid_before(
    options: argparse.Namespace,
    plan: "Plan",
    table: PrivateTable,
    *,
    book: Ledger | None,
    protection: Protection,
) -> tuple[Preparation, ...]:
    """Return all checks and drafts that were paid before a release.

    The option ``--check`` buys a check now, or names the file of a check that was bought.

    Args:
        options: The options of the command line.
        plan: The release.
        table: The confidential table.
        book: The ledger; None for one in memory only.
        protection: It writes the file of a check that no ledger keeps.

    Raises:
        ReleaseError: A check found few rows that fit, or none, and there is no ``--anyway``.
    """
    from synth.spending import check_fit, collect, mark_of, refuse_few

    book = book or Ledger()
    # A check that was paid for, from its file; or the epsilon of a new one; or None.
    check_option = plans.read_option(options, "check")
    checks = (check_option,) if isinstance(check_option, Preparation) else ()
    if isinstance(check_option, Fraction):
        from synth.estimate import FitCheck

        check = FitCheck(
            domain=plan.domain,
            epsilon=check_option,
            neighbors=plan.neighbors,
            unit=plan.unit,
            dataset=plan.dataset,
        )
        progress("Checking whether rows fit")
        checks = (check_fit(check, table, ledger=book, engine=options.engine),)
    preparations = collect(plan, book, {ALONE: mark_of(table, book)}, *checks)
    if not options.anyway:
        try:
            refuse_few(plan, preparations, "--anyway")
        except ReleaseError as error:
            if not checks or book.path:
                raise
            # The check is paid for, so that it must not be lost: a file keeps it.
            path = Path(options.check)
            if not isinstance(check_option, Preparation):
                path = place_of_check(options)
                _write_document(checks[0].to_json(), path, protection)
            drop_spends()  # the remark says how to use the paid check, so no other sentence
            remark = (
                f"No ledger keeps the check, so '{path}' does: --check '{path}' spends "
                "nothing."
            )
            raise ReleaseError(f"{error} {remark}") from None
    return preparations


def place_of_check(options: argparse.Namespace) -> Path:
    """Return where a release stores its paid check if there is no ledger to do so."""
    outputs = outputs_by_ending(options.out, RELEASE_ENDINGS)
    is_folder_there = FOLDER in outputs and not options.in_parts
    folder = outputs[FOLDER] if is_folder_there else Path(options.out[0]).parent
    return Path(folder, KEPT)


def _named_output(options: argparse.Namespace) -> list[FileOutput]:
    """Return the file that ``--out`` names, if any."""
    return [] if options.out is None else [FileOutput(options.out, (".json",))]


def _check(options: argparse.Namespace) -> None:
    """Buy noisy numbers of rows that fit, print them, and write them with ``--out``."""
    from synth.spending import check_fit, said_by

    ledgers.choose_ledger(options)
    protection = check_paid_outputs(options, *_named_output(options))
    check = _read_check(options)
    engine = options.engine
    table = table_from(options, (*check.domain.names, check.unit.person))
    book = ledgers.open_ledger(
        options, check.dataset, check.neighbors, table, costs=[check.guarantee]
    )
    fit = check_fit(check, table, ledger=book, progress=progress, engine=engine)
    tell(table, options)
    if options.out is not None:
        _write_document(fit.to_json(), options.out, protection)
    findings = said_by(fit)
    summary: Document = {
        **findings.to_json(),
        "few": findings.is_few,
        "preparation": fit.to_json(),
    }
    lines = [sentence_of(findings.said_of(count)) for count in findings.counts]
    if findings.is_few:
        lines.append("Few or no rows fit: a release with this declaration would be noise.")
    lines.append(f"Spent: {name_cost(fit.guarantee)} ({fit.neighbors.value}).")
    print_answer(options, summary, [*lines, *ledgers.recording_lines(book)])


def _read_check(options: argparse.Namespace) -> "FitCheck":
    """Return what the options ask to count; without an epsilon, it follows from ``--rows``.

    Raises:
        ArgumentError: There is neither an epsilon nor a number of rows.
    """
    from synth.estimate import FitCheck, suggested_epsilon

    rows = plans.read_option(options, "rows")
    unit = plans.unit_from(options)
    if options.epsilon is None and rows is None:
        raise ArgumentError(
            "Give --epsilon; or --rows, the rough number of rows, for a suggestion."
        )
    return FitCheck(
        domain=plans.read_domain(options),
        epsilon=suggested_epsilon(rows or 1, unit)
        if options.epsilon is None
        else plans.read_option(options, "epsilon"),
        neighbors=plans.read_option(options, "neighbors"),
        unit=unit,
        dataset=plans.dataset_from(options),
        columns=plans.read_option(options, "columns") or (),
        rows=rows,
    )


def _look(options: argparse.Namespace) -> None:
    """Print exact numbers of rows that fit, for the steward alone. PRIVATE.

    The look is recorded before, in a ledger or in a new declaration, because the declaration
    may depend on the rows from then on.

    Raises:
        ArgumentError: Options do not go together, or nothing records the look.
    """
    from synth.spending import look_at

    if options.epsilon is not None or options.columns is not None:
        raise ArgumentError(
            "A look (--look) is free and about all columns: leave out --epsilon, --columns."
        )
    if options.no_ledger and options.out is None:
        raise ArgumentError(
            "Record the look: leave out --no-ledger, or add --out FILE for a declaration "
            "that mentions it."
        )
    ledgers.choose_ledger(options)
    protection = check_outputs(options, *_named_output(options))
    domain = plans.read_domain(options)
    table = table_from(options, domain.names)
    dataset = plans.dataset_from(options)
    table.positions(domain)  # refuses a column that the table lacks before the look is noted
    relation = plans.read_option(options, "neighbors")
    # A look costs nothing, so the dataset needs no budget.
    book = ledgers.open_ledger(options, dataset, relation, table)
    if options.out is not None:
        declaration = write_schema(replace(domain, looked=True))
        _write_document(declaration, options.out, protection)
    shares = look_at(domain, table, ledger=book, dataset=dataset)
    tell(table, options)
    exact_numbers: Document = {
        "rows": shares.rows,
        "together": shares.together,
        **shares.columns,
    }
    empty = shares.empty_columns()
    filled_columns = ",".join(name for name in domain.names if name not in empty)
    alarms = [*shares.misfits(domain), *map(shares.describe_empty, empty)]
    if empty:
        alarms.append(
            f"To leave out columns that are nearly empty: --columns '{filled_columns}'"
        )
    summary: Document = {"private": exact_numbers, "alarms": alarms}
    share_together = shares.share(shares.together)
    lines = [
        "Private, for you alone: exact numbers of rows that fit.",
        f"  {shares.together:,} of {shares.rows:,} ({share_together:.1%}) in all columns",
    ]
    for name, fitting_rows in shares.columns.items():
        lines.append(f"  {fitting_rows} ({shares.share(fitting_rows):.1%}) in '{name}'")
    print_answer(options, summary, [*lines, *alarms, MAY_DEPEND])


def _write_document(document: Document, path: str | Path, protection: Protection) -> None:
    """Write a JSON object to a file.

    Args:
        document: The object.
        path: The file.
        protection: It refuses to replace inputs and other files.
    """
    from synth.bundle import json_bytes

    content = json_bytes(document)
    protection.write_file(path, lambda part: part.write_bytes(content))
