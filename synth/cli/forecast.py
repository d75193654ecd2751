"""``synth forecast``: the expected error of a release, before anything is spent."""

import argparse
from fractions import Fraction

from synth.bundle import in_words
from synth.cli import compare
from synth.cli import plan as plans
from synth.cli.commands import print_answer, set_run
from synth.errors import ArgumentError
from synth.estimate import RECIPES, relations_sentence
from synth.forecasts import (
    SMALL_GROUP,
    Change,
    cells_for,
    epsilon_for,
    forecast,
    outlook,
    rank_changes,
)
from synth.plans import Plan
from synth.privacy import parse_rational, plain
from synth.util import Document


def define(parser: argparse.ArgumentParser) -> None:
    set_run(parser, _forecast)
    plans.declare(parser)
    plans.spend(parser)
    plans.offer_options(parser, "rows", required=True, help="about how many rows")
    plans.offer_options(parser, "delta", "moments")
    parser.add_argument("--error", metavar="T", help="what would bring pairs to this error?")


def _forecast(options: argparse.Namespace) -> None:
    domain, neighbors = plans.domain_from(options), plans.read_option(options, "neighbors")
    epsilon, rows = plans.read_option(options, "epsilon"), plans.read_option(options, "rows")
    unit = plans.unit_from(options)
    expected = forecast(domain, epsilon=epsilon, rows=rows, neighbors=neighbors, unit=unit)
    delta, terms = (plans.read_option(options, name) for name in ("delta", "moments"))
    plan = Plan(domain, epsilon, neighbors, unit=unit, delta=delta, moments=terms)
    methods, lines = _methods(plan, rows)
    sums = outlook(plan, rows).moments
    lines += [f"Noise moves the mean of {one.what} by about {one.error:.4g}." for one in sums]
    lost = relations_sentence(0, len(domain.columns))
    summary: Document = {**expected.summary(), "methods": methods}
    summary |= {"moments": {one.what: one.error for one in sums}} if sums else {}
    if lost and not RECIPES[outlook(plan, rows).method].has_relations:
        changes = rank_changes(plan, rows)
        summary["changes"] = [_describe_change(one) for one in changes]
        lines += [lost, *_change_lines(changes)]
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


def _describe_change(one: Change) -> Document:
    pairs = None if one.pairs is None else one.pairs._asdict()
    return {one.option: one.value, "sentence": one.sentence, "pairs": pairs}


def _change_lines(changes: list[Change]) -> list[str]:
    heads = ["What helps most:", *["Other ways:"] * (len(changes) > 1), *[""] * len(changes)]
    return [
        f"{head or '           '} {one.sentence} {one.expected}(--{one.option} '{one.value}')"
        for head, one in zip(heads, changes, strict=False)
    ]


def _share(text: str) -> float:
    share = parse_rational(text, name="--error")
    if not 0 < share <= 1:
        raise ArgumentError(
            f"--error must be a share above 0 and up to 1, such as 0.05, but it is {share}."
        )
    return float(share)


def _methods(plan: Plan, rows: int) -> tuple[list[Document], list[str]]:
    """Return the forecast of every method, with a range for pairs, as associations are unknown."""
    from synth.forecasts import outlooks

    told: list[Document] = []
    lines = [
        "Share of rows in the wrong place (total variation), where four of five releases are, if",
        "columns have in common what they usually have:",
    ]
    for one in outlooks(plan, rows):
        method, pairs = str(one.method), one.pairs
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
    return [
        f"For pairs to be {wanted:g} off, epsilon {plain(enough)} would do."
        if enough is not None
        else f"No epsilon up to 100 brings pairs to {wanted:g}.",
        f"At epsilon {plain(epsilon)}, no column may have more than {cells} cells for that."
        if cells is not None
        else f"At epsilon {plain(epsilon)}, no coarsening does; leave out columns.",
    ]
