"""``synth forecast``: the expected error of a release, before anything is spent."""

import argparse
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from synth.bundle import in_words
from synth.cli import plan as plans
from synth.cli.saying import print_answer, set_run
from synth.domain import DAY
from synth.errors import ArgumentError
from synth.forecasts import (
    SMALL_GROUP,
    Change,
    ExpectedMoment,
    Forecast,
    Outlook,
    Range,
    cells_for,
    epsilon_for,
    expected_relations,
    forecast,
    outlook,
    rank_changes,
)
from synth.plans import Plan
from synth.privacy import name_cost, parse_rational, plain
from synth.util import Document, Scored, k_marginal, write_number

# What the ranges of `describe_errors` mean, before a release and after it.
WHAT_ERRORS_ARE = (
    "It is the share of rows in the wrong place, on average over all columns or pairs of "
    "columns. Four of five releases are in the range, if columns are as related as usual."
)


def describe_errors(found: Outlook) -> str:
    """Return the ranges of the mean error of columns and of pairs, as a sentence."""
    return f"Expected error: columns {_span(found.columns)}, pairs {_span(found.pairs)}."


def summarize_ranges(found: Outlook) -> Document:
    """Return the ranges of the mean error of columns and of pairs, for ``--json``."""
    return {"columns": found.columns._asdict(), "pairs": found.pairs._asdict()}


def define(parser: argparse.ArgumentParser) -> None:
    set_run(parser, _forecast, details=True)
    plans.declare(parser)
    plans.spend(parser)
    plans.offer_options(
        parser,
        "rows",
        required=True,
        group="columns",
        help="about how many rows the table has",
    )
    plans.offer_options(parser, "delta", "moments")
    plans.offer_options(parser, "error", help="show what brings pairs to this error")


def _forecast(options: argparse.Namespace) -> None:
    domain, neighbors = plans.domain_from(options), plans.read_option(options, "neighbors")
    epsilon, rows = plans.read_option(options, "epsilon"), plans.read_option(options, "rows")
    unit = plans.unit_from(options)
    expected = forecast(domain, epsilon=epsilon, rows=rows, neighbors=neighbors, unit=unit)
    delta, terms = (plans.read_option(options, name) for name in ("delta", "moments"))
    plan = Plan(
        domain=domain,
        epsilon=epsilon,
        neighbors=neighbors,
        unit=unit,
        delta=delta,
        moments=terms,
    )
    methods, table = _methods(plan, rows)
    found = outlook(plan, rows)
    sums = found.moments
    lines = _sum_lines(sums, verbose=options.verbose)
    lost, may_lose = expected_relations(plan, found.method)
    summary: Document = {**expected.summary(), "methods": methods}
    summary |= {"moments": {one.what: one.error for one in sums}} if sums else {}
    lines += [may_lose] * bool(may_lose)
    if lost:
        changes = rank_changes(plan, rows)
        summary["changes"] = [_describe_change(one) for one in changes]
        lines += [lost, *_change_lines(changes)]
    text = [
        f"{rows:,} rows, {name_cost(plan.guarantee(epsilon))}. {describe_errors(found)}",
        WHAT_ERRORS_ARE,
        *lines,
    ]
    if options.error is not None:
        needed, needed_lines = _needs(plan, _share(options.error), rows)
        summary["needed"] = needed
        text += needed_lines
    if options.verbose:
        text += [
            f"Method: {found.method}. All methods that are possible:",
            *table,
            *_dense_lines(expected),
            in_words(epsilon, neighbors),
        ]
    print_answer(options, summary, text)


def _needs(plan: Plan, error: float, rows: int) -> tuple[Document, list[str]]:
    """Return the epsilon and the number of cells that keep the expected error small
    enough.
    """
    setting: dict[str, Any] = {"rows": rows, "neighbors": plan.neighbors, "unit": plan.unit}
    epsilon = epsilon_for(plan.domain, error=error, **setting)
    cells = cells_for(plan.domain, error=error, epsilon=plan.epsilon, **setting)
    needs = {"epsilon": epsilon, "cells": cells}
    needed: Document = {
        name: None if need is None else str(need) for name, need in needs.items()
    }
    return needed, _needed_lines(error, plan.epsilon, epsilon, cells=cells)


def _dense_lines(expected: Forecast) -> list[str]:
    """Say what a histogram of all cells would err, invent and lose."""
    return [
        f"With all {expected.cells:,} cells counted (dense), noise of scale "
        f"{expected.noise_scale:g} on each:",
        *(f"  {line}" for line in utility_lines(expected)[-2:]),
        f"  Clamping would invent about {expected.invented:,.0f} rows.",
        f"  Groups of {SMALL_GROUP} rows that leave no trace: {expected.lost:.0%}.",
    ]


def _sum_lines(sums: Sequence[ExpectedMoment], *, verbose: bool) -> list[str]:
    means, others = [], []
    for one in sums:
        dates = sum(bool(column.told_in) for column in one.columns)
        told = (
            f"{write_number(one.error / DAY**dates)}{('', ' days', ' days squared')[dates]}"
        )
        if len(one.columns) == 1:
            means.append(f"{one.what.partition(' of ')[2]} {told}")
        else:
            others.append(f"{one.what} {told}")
    return [
        *[f"Expected error of means, by the noise: {', '.join(means)}."] * bool(means),
        *[f"Of means of squares and products: {', '.join(others)}."]
        * (bool(others) and verbose),
    ]


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
    # With a range for pairs, as associations are unknown.
    from synth.forecasts import outlooks

    told: list[Document] = []
    lines = []
    for one in outlooks(plan, rows):
        method, pairs = str(one.method), one.pairs
        lines.append(
            f"  {method:11} columns {_span(one.columns):16}  pairs {_span(pairs):16}  "
            f"{max(1, one.seconds):.0f} s"
        )
        told.append({"method": method, **summarize_ranges(one), "seconds": one.seconds})
    return told, lines


def _span(ends: Range) -> str:
    return f"{percent(ends.low)} to {percent(ends.high)}"


def _needed_lines(
    wanted: float, epsilon: Fraction, enough: Fraction | None, *, cells: int | None
) -> list[str]:
    return [
        f"For an error of pairs of {wanted:g}, epsilon {plain(enough)} is enough."
        if enough is not None
        else f"No epsilon up to 100 brings pairs to {wanted:g}.",
        f"At epsilon {plain(epsilon)}, each column may then have at most {cells} cells."
        if cells is not None
        else f"At epsilon {plain(epsilon)}, no coarsening does; leave out columns.",
    ]


def percent(share: float) -> str:
    """Write a share with as many digits as people read.

    >>> percent(0.0156), percent(0.545), percent(0.00041)
    ('1.6 %', '54.5 %', '0.04 %')
    """
    return f"{100 * share:.{2 if 100 * share < 1 else 1}f} %"


def utility_lines(scored: Scored) -> list[str]:
    lines = ["Error: the share of rows you would have to change (total variation):"]
    orders = (scored.one_way, scored.two_way, scored.three_way)
    labels = ("columns", "pairs", "triples")
    for label, ends, floor in zip(labels, orders, scored.floor, strict=True):
        lines.append(
            f"  {label:8} mean {percent(ends.mean)}  worst {percent(ends.max)}  "
            f"(chance alone {percent(floor.mean)})"
        )
    lines.append(f"k-marginal score {k_marginal(scored.two_way):.0f} of 1000.")
    lines.append(
        f"Pairs: as accurate as a random {scored.subsample_percent:.3g} % of the rows."
    )
    return lines
