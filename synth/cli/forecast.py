"""``synth forecast``: the expected error of a release, before anything is spent."""

import argparse
import shlex
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from synth.bundle import in_words
from synth.cli import plan as plans
from synth.cli.saying import print_answer, set_run
from synth.domain import DAY
from synth.errors import ArgumentError
from synth.estimate import name_followed, name_method
from synth.forecasts import (
    SMALL_GROUP,
    Change,
    ExpectedMoment,
    Forecast,
    Outlook,
    Range,
    cells_for,
    compare_units,
    epsilon_for,
    expected_relations,
    explain_lists,
    forecast,
    outlook,
    price_of_persons,
    rank_changes,
)
from synth.plans import Plan
from synth.privacy import Unit, name_cost, parse_rational, plain
from synth.util import Document, Scored, k_marginal, write_number

# What the ranges of `describe_errors` mean, before a release and after it.
WHAT_ERRORS_ARE = (
    "It is the share of rows in the wrong place, on average over all columns or pairs of "
    "columns. Four of five releases are in the range, if columns are as related as usual."
)


def describe_errors(expectation: Outlook) -> str:
    """Return the ranges of the mean error of columns and of pairs, as a sentence."""
    columns = _span(expectation.columns)
    return f"Expected error: columns {columns}, pairs {_span(expectation.pairs)}."


def summarize_ranges(expectation: Outlook) -> Document:
    """Return the ranges of the mean error of columns and of pairs, for ``--json``."""
    return {"columns": expectation.columns._asdict(), "pairs": expectation.pairs._asdict()}


def define(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``synth forecast``, and the function that runs."""
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
    """Print the expected error of a release, and what would reduce it; no table is read."""
    domain = plans.domain_from(options)
    neighbors = plans.read_option(options, "neighbors")
    epsilon = plans.read_option(options, "epsilon")
    rows = plans.read_option(options, "rows")
    unit = plans.unit_from(options)
    # This is for a histogram of all cells; `outlook` below for the method of Synth's choice.
    expected = forecast(domain, epsilon=epsilon, rows=rows, neighbors=neighbors, unit=unit)
    plan = Plan(
        domain=domain,
        epsilon=epsilon,
        neighbors=neighbors,
        unit=unit,
        delta=plans.read_option(options, "delta"),
        moments=plans.read_option(options, "moments"),
    )
    methods, table = _methods(plan, rows)
    expectation = outlook(plan, rows)
    sums = expectation.moments
    lines = _sum_lines(sums, verbose=options.verbose)
    lost, kept = expected_relations(plan, expectation.method, rows)
    summary: Document = {**expected.summary(), "methods": methods}
    if sums:
        summary["moments"] = {sum_error.what: sum_error.error for sum_error in sums}
    lines += filter(None, [*_person_lines(plan, expectation, rows), kept])
    if lost:
        changes = rank_changes(plan, rows)
        summary["changes"] = [_describe_change(change) for change in changes]
        lines += [lost, *_change_lines(changes)]
    cost = name_cost(plan.guarantee(epsilon))
    text = [
        f"{rows:,} rows, {cost}. {describe_errors(expectation)}",
        WHAT_ERRORS_ARE,
        *lines,
    ]
    list_sentence = explain_lists(domain)
    if list_sentence:
        text.insert(2, list_sentence)
    if options.error is not None:
        needed, needed_lines = _needs(plan, _share(options.error), rows)
        summary["needed"] = needed
        text += needed_lines
    if options.verbose:
        text += [
            f"Method: {name_followed(plan.method, expectation.method, domain.size)}. "
            "All methods that are possible:",
            *table,
            *_dense_lines(expected),
            in_words(epsilon, neighbors),
        ]
    print_answer(options, summary, text)


def _person_lines(plan: Plan, expectation: Outlook, rows: int) -> list[str]:
    """Return lines on what it costs to protect persons with several rows; else none.

    Args:
        plan: The planned release.
        expectation: The expected errors of the plan.
        rows: The rough number of rows.
    """
    price = price_of_persons(plan.unit.max_rows, epsilon=plan.epsilon, rows=rows)
    if not price:
        return []
    return [price, compare_units(expectation, outlook(replace(plan, unit=Unit()), rows))]


def _needs(plan: Plan, error: float, rows: int) -> tuple[Document, list[str]]:
    """Return the epsilon, and the number of cells of a column, that keep an error of pairs.

    Args:
        plan: The planned release.
        error: The wanted total variation of pairs, from 0 to 1.
        rows: The rough number of rows.

    Returns:
        Both as JSON, None where nothing is enough; and as lines of text.
    """
    setting: dict[str, Any] = {"rows": rows, "neighbors": plan.neighbors, "unit": plan.unit}
    epsilon = epsilon_for(plan.domain, error=error, **setting)
    # The scale of the noise on each count, if all cells are counted at once.
    scale = float(plan.unit.sensitivity(plan.neighbors) / plan.epsilon)
    cells = cells_for(plan.domain, error=error, rows=rows, scale=scale)
    needs = {"epsilon": epsilon, "cells": cells}
    needed: Document = {
        name: None if need is None else str(need) for name, need in needs.items()
    }
    return needed, _needed_lines(error, plan.epsilon, epsilon, cells=cells)


def _dense_lines(expected: Forecast) -> list[str]:
    """Return lines on a histogram of all cells: its error, and rows it invents and loses."""
    return [
        f"With all {expected.cells:,} cells counted (dense), noise of scale "
        f"{expected.noise_scale:g} on each:",
        *(f"  {line}" for line in utility_lines(expected)[-2:]),  # its score and sample size
        f"  Clamping would invent about {expected.invented:,.0f} rows.",
        f"  Groups of {SMALL_GROUP} rows that leave no trace: {expected.lost:.0%}.",
    ]


def _sum_lines(sums: Sequence[ExpectedMoment], *, verbose: bool) -> list[str]:
    """Return sentences on the average errors of measured sums of numbers.

    These are errors of means of columns, and if verbose also of squares and products. Dates
    are in days.
    """
    means = []
    products = []
    for moment in sums:
        # A product of two dates is in seconds squared, as dates are numbers of seconds.
        dates = sum(bool(column.told_in) for column in moment.columns)
        unit = ("", " days", " days squared")[dates]
        error = f"{write_number(moment.error / DAY**dates)}{unit}"
        if len(moment.columns) == 1:  # `what` is such as "offsets of age"
            means.append(f"{moment.what.partition(' of ')[2]} {error}")
        else:
            products.append(f"{moment.what} {error}")
    lines = []
    if means:
        lines.append(f"Average error of means, by the noise: {', '.join(means)}.")
    if products and verbose:
        lines.append(f"Of means of squares and products: {', '.join(products)}.")
    return lines


def _describe_change(change: Change) -> Document:
    """Return a helpful change of an option as JSON, with the errors to expect after it."""
    pairs = None if change.pairs is None else change.pairs._asdict()
    return {
        **change.options,
        "sentence": change.sentence,
        "measured": change.measured,
        "pairs": pairs,
    }


def _change_lines(changes: list[Change]) -> list[str]:
    """Return a line for each change that keeps relations, the one that keeps most first.

    They have a heading, if there is any.
    """
    lines = []
    for change in changes:
        sentences = (change.sentence, change.relations, change.expected)
        text = " ".join(filter(None, sentences))
        lines.append(f"  {text} ({_name_options(change)})")
    return ["What keeps relations, the most first:", *lines] if lines else []


def _name_options(change: Change) -> str:
    """Return the options of a change as people type them; bins are in the domain's file."""
    return ", ".join(
        f"synth:bins {value} in the domain"
        if name == "bins"
        else f"--{name} {shlex.quote(value)}"
        for name, value in change.options.items()
    )


def _share(text: str) -> float:
    """Return the error that ``--error`` names, above 0 and up to 1.

    Raises:
        ArgumentError: It is no such number.
    """
    share = parse_rational(text, name="--error")
    if not 0 < share <= 1:
        raise ArgumentError(
            f"--error must be a share above 0 and up to 1, such as 0.05, but it is {share}."
        )
    return float(share)


def _methods(plan: Plan, rows: int) -> tuple[list[Document], list[str]]:
    """Return the ranges of the errors of all possible methods, as JSON and as lines.

    Args:
        plan: The planned release; its own method does not matter.
        rows: The rough number of rows.
    """
    from synth.forecasts import outlooks

    summaries: list[Document] = []
    lines = []
    for expectation in outlooks(plan, rows):
        method = str(expectation.method)
        name = name_method(method, plan.domain.size)
        columns = _span(expectation.columns)
        pairs = _span(expectation.pairs)
        seconds = expectation.seconds
        lines.append(
            f"  {name} ({method}): columns {columns}, pairs {pairs}, {max(1, seconds):.0f} s"
        )
        summaries.append(
            {"method": method, **summarize_ranges(expectation), "seconds": seconds}
        )
    return summaries, lines


def _span(ends: Range) -> str:
    return f"{percent(ends.low)} to {percent(ends.high)}"


def _needed_lines(
    error: float, epsilon: Fraction, enough: Fraction | None, *, cells: int | None
) -> list[str]:
    """Return sentences on what keeps an error of pairs.

    Args:
        error: The wanted total variation of pairs.
        epsilon: The planned epsilon.
        enough: The epsilon that is enough; None if none is.
        cells: Most cells of a column at the planned epsilon; None if no number helps.
    """
    return [
        f"For an error of pairs of {error:g}, epsilon {plain(enough)} is enough."
        if enough is not None
        else f"No epsilon up to 100 brings pairs to {error:g}.",
        f"At epsilon {plain(epsilon)}, each column may then have at most {cells} cells."
        if cells is not None
        else f"At epsilon {plain(epsilon)}, no coarsening does; leave out columns.",
    ]


def percent(share: float) -> str:
    """Write a share with as many digits as people read.

    >>> percent(0.0156), percent(0.545), percent(0.00041)
    ('1.6 %', '54.5 %', '0.04 %')
    """
    digits = 2 if 100 * share < 1 else 1
    return f"{100 * share:.{digits}f} %"


def utility_lines(scored: Scored) -> list[str]:
    """Return the errors of columns, pairs and triples as lines, and two scores below them.

    Each line also has the error that a random sample of the same size would have.
    """
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
