"""``python -m synth compare TABLE SYNTHETIC``: real against synthetic. What it prints is PRIVATE.

A bundle tells more than its rows: with it, the error is split into binning, noise and drawing.
"""

import argparse
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from synth.bundle.typed_json import write
from synth.bundle.writer import replace_file
from synth.cli import plan as plans
from synth.counting.counts import codes
from synth.errors import ArgumentError
from synth.metrics import summarize
from synth.privacy.budget import plain
from synth.privacy.guarantee import parse_epsilon
from synth.table.private_table import PrivateTable, open_table

if TYPE_CHECKING:
    from synth.comparison.distances import Comparison

Print = Callable[[argparse.Namespace, dict[str, Any], list[str]], None]


def add_options(parser: argparse.ArgumentParser) -> None:
    """What is compared, and what is to be told of it."""
    parser.add_argument(
        "synthetic", metavar="SYNTHETIC", help="the synthetic table, or the bundle it is in"
    )
    plans.declare(parser, required=False)
    parser.add_argument(
        "--target", metavar="COLUMN", help="of a bundle: train on synthetic rows, test on real ones"
    )
    parser.add_argument(
        "--report", metavar="FILE.html", help="of a bundle: the internal report (private!)"
    )


def run(options: argparse.Namespace, table: PrivateTable, show: Print) -> None:
    """Compare and print."""
    if Path(options.synthetic).suffix == ".zip":
        summary, lines = _bundle(options, table)
    else:
        summary, lines = _rows(options, table)
    show(options, summary, ["PRIVATE - do not share.", *lines])


def _rows(options: argparse.Namespace, table: PrivateTable) -> tuple[dict[str, Any], list[str]]:
    from synth.comparison.distances import compare  # a release does without comparisons

    for name in ("target", "report"):
        if getattr(options, name):
            message = f"--{name} needs the bundle of the release instead of its rows."
            raise ArgumentError(message)
    if options.domain is None:
        message = "A table of synthetic rows needs --domain; a bundle has its own."
        raise ArgumentError(message)
    domain = plans.domain_of(options)
    found = compare(domain, codes(table, domain), codes(open_table(options.synthetic), domain))
    summary = summarize(found)
    return {**summary, **_tables(found)}, utility_lines(summary)


def _bundle(options: argparse.Namespace, table: PrivateTable) -> tuple[dict[str, Any], list[str]]:
    from synth.comparison.report import internal_report
    from synth.comparison.tables import look  # their charts take a second
    from synth.verification.reopen import open_bundle

    if options.domain or options.columns:
        message = "A bundle has its domain; leave out --domain and --columns."
        raise ArgumentError(message)
    seen = look(table, open_bundle(options.synthetic).result)
    summary = summarize(seen.errors)
    lines = utility_lines(summary)
    details = _details(seen)
    lines += _detail_lines(details)
    if options.target:
        details["training"] = _trained(seen, options.target)
        scores = details["training"]
        lines.append(
            f"'{options.target}' is predicted right in {scores['synthetic']['plain']:.1%} of "
            f"{scores['tested']:,} real rows by a classifier trained on synthetic rows, "
            f"{scores['real']['plain']:.1%} if trained on real ones, "
            f"{scores['majority']['plain']:.1%} by the most frequent value."
        )
    if options.report:
        page = internal_report(seen).encode()
        path = replace_file(Path(options.report), lambda part: part.write_bytes(page))
        lines.append(f"  {path}")
    return {**summary, **_tables(seen.errors), **details}, lines


def _trained(seen: Any, target: str) -> dict[str, Any]:
    from synth.comparison.classifier import targets, train

    if target not in targets(seen.domain):
        known = ", ".join(f"'{name}'" for name in targets(seen.domain)) or "none"
        message = f"'{target}' cannot be predicted; these can: {known}."
        raise ArgumentError(message)
    return asdict(train(seen, target))


def _tables(found: "Comparison") -> dict[str, Any]:
    """Every column and pair, worst first, with what chance alone would do."""
    orders = ((found.one_way, found.floor[0]), (found.two_way, found.floor[1]))
    return {
        "by_table": [
            {"columns": list(names), "error": error, "chance": floor.by_table[names]}
            for errors, floor in orders
            for names, error in errors.worst_first
        ]
    }


def _details(seen: Any) -> dict[str, Any]:
    """What only a release tells: parts of the error, associations, groups, bars, repairs."""
    from synth.comparison.associations import associations
    from synth.comparison.error_bars import covered
    from synth.comparison.error_sources import all_parts, number_parts
    from synth.comparison.numeric_columns import read
    from synth.comparison.repairs import real_errors, side_by_side
    from synth.comparison.subgroups import lost_groups

    numbers = number_parts(seen, read(seen.table, seen.domain))
    parts, linked = all_parts(seen), associations(seen)
    details: dict[str, Any] = {
        "parts": [{"columns": list(n), **asdict(part)} for n, part in parts.items()],
        "numbers": {name: asdict(part) for name, part in numbers.items()},
        "associations": [{"columns": list(n), **asdict(one)} for n, one in linked.items()],
        "small_groups": [asdict(one) for one in lost_groups(seen)],
        "bars": asdict(covered(seen)),
        "scores": write(seen.result.scores),
    }
    if repairs := side_by_side(seen.result.record.histogram):
        real = real_errors(seen, repairs)
        details["repairs"] = [
            {"repair": one.name.value, "expected_error": one.error, **asdict(real[one.name])}
            for one in repairs
        ]
    return details


def _detail_lines(details: dict[str, Any]) -> list[str]:
    """The parts of the error in short."""
    pairs = [p for p in details["parts"] if len(p["columns"]) == 2 and p["noise"] is not None]
    lines = []
    if pairs:
        left_out, noise, drawing = (
            sum(p[k] for p in pairs) / len(pairs) for k in ("left_out", "noise", "drawing")
        )
        rows = f"{left_out:.4f} by the rows left out of some persons, " if left_out else ""
        lines.append(f"Of pairs: {rows}{noise:.4f} by the noise, {drawing:.4f} by drawing.")
    cut = sorted(details["numbers"].items(), key=lambda item: -item[1]["binning"])
    lines += [
        f"Cutting '{name}' into bins moves its cumulative shares by up to {part['binning']:.3f}."
        for name, part in cut[:3]
        if part["binning"] >= 0.02
    ]
    lines += [
        f"Bought score: {s['error']:.4f} for epsilon {plain(parse_epsilon(s['epsilon']))}."
        for s in details["scores"]
    ]
    return lines


def utility_lines(summary: dict[str, Any]) -> list[str]:
    """What comparisons and forecasts say alike."""
    lines = ["Share of rows in the wrong place (total variation):"]
    for key, label in (("one_way", "columns"), ("two_way", "pairs"), ("three_way", "triples")):
        floor, (mean, worst) = summary["floor"][key]["mean"], summary[key].values()
        lines.append(f"  {label:8} mean {mean:.4f}  worst {worst:.4f}  (chance alone {floor:.4f})")
    lines.append(f"k-marginal score {summary['k_marginal']:.0f} of 1000.")
    lines.append(f"As close as a random {summary['subsample_percent']:.3g} % of the rows.")
    return lines
