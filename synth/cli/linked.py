"""``synth release PACKAGE/datapackage.json``: linked tables in, linked tables out."""

import argparse
import sys
from pathlib import Path

from synth.bundle import BUNDLED_TABLES, LinkedResult
from synth.cli import ledger
from synth.cli import plan as plans
from synth.cli.commands import prepare_places, progress
from synth.cli.export import chosen_output
from synth.cli.saying import print_answer, say
from synth.domain import read_package
from synth.door import Ledger
from synth.errors import ArgumentError
from synth.estimate import forecast_linked
from synth.plans import LinkedPlan
from synth.private.counting import open_source
from synth.private.table import list_remarks
from synth.spending import open_package, synthesize_linked
from synth.util import Document

ONE_TABLE = (
    "plan", "domain", "columns", "person", "max_rows", "method", "groups", "rules",
    "max_model_mb", "repair", "rows", "favour", "predict", "moments", "parts", "score", "public",
    "vouched_by", "check", "anyway", "vouch",
)  # fmt: skip


def is_package(name: str | None) -> bool:
    return name is not None and name.lower().endswith(".json")


def release_package(options: argparse.Namespace) -> None:
    formats = _check_options(options)
    package, base = read_package(options.table), Path(options.table).parent
    chosen = {name: plans.read_option(options, name) for name in ("epsilon", "neighbors", "delta")}
    dataset = options.dataset or package.name
    plan = LinkedPlan(package, dataset=dataset, **chosen)
    prepare_places(options)
    opened = {
        name: open_source(str(base / path), engine=options.engine, master=options.master)
        for name, path in package.paths.items()
    }
    held = open_package(package, opened)
    book = ledger.open_ledger(options, dataset, plan.neighbors, held[package.root.name])
    for line in describe_forecast(plan, 10_000):
        say(line, to=sys.stderr)
    result = synthesize_linked(plan, held, ledger=book, progress=progress, engine=options.engine)
    for name, table in held.items():
        for remark in list_remarks(table):
            say(f"Private, for you alone: '{name}': {remark}", to=sys.stderr)
    progress("Writing files")
    paths = result.write(options.out, formats) if options.out else {}
    if options.bundle:
        paths["bundle"] = result.write_archive(options.bundle, book)
    _print_result(options, result, paths, book)


def _check_options(options: argparse.Namespace) -> list[str]:
    plans.refuse_given(
        options, ONE_TABLE, "{} is for one table; a package of linked tables does without it."
    )
    if options.epsilon is None:
        raise ArgumentError("The option --epsilon is missing.")
    if options.format:
        raise ArgumentError("Linked tables are read as they are; leave out --format.")
    if not options.out and not options.bundle:
        raise ArgumentError(
            "Choose where to write the results: --out DIR, --bundle FILE.zip, or both."
        )
    tables, others = chosen_output(options.output)
    if others:
        raise ArgumentError(
            "Linked tables are written as csv, parquet or both; leave others out of --output."
        )
    return [kind for kind, one in BUNDLED_TABLES.items() if one.file in tables]


def _print_result(
    options: argparse.Namespace, result: LinkedResult, paths: dict[str, Path], book: Ledger | None
) -> None:
    plan, rows = result.plan, result.certificate.rows
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
    lines = [
        f"{' and '.join(f'{n:,} {name}' for name, n in rows.items())}, with epsilon "
        f"{plan.epsilon} ({plan.neighbors.value} of {plan.unit}).",
        f"{result.certificate.number_of_rows}.",
        *(f"  {path}" for path in paths.values()),
        *(["This release was made before: nothing was spent."] if result.repeated else []),
    ]
    print_answer(options, summary, lines)


def describe_forecast(plan: LinkedPlan, roots: int) -> list[str]:
    return [
        f"With {roots:,} roots, expect an error of {error:.4f} in a column of '{name}' (share of "
        "its rows in the wrong place, by the noise alone)."
        for name, error in forecast_linked(plan.package, plan.account(plan.guarantee), roots)
    ]
