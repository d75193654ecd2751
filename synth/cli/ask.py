"""``python -m synth ask TABLE --question '...'``: answers to questions, or their forecast."""

import argparse
import math
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from synth.cli import free, ledger
from synth.cli import plan as plans
from synth.cli.commands import (
    count_options,
    progress,
    read_options,
    table_from,
    tell,
)
from synth.cli.outputs import check_paid_outputs
from synth.cli.saying import print_answer, set_run
from synth.errors import ArgumentError, QuestionError
from synth.plans import choose_guarantee
from synth.privacy import Guarantee, implied_guarantee, plain
from synth.util import Document, FileOutput, FolderOutput, Output, Protection

if TYPE_CHECKING:
    from synth.domain import Domain
    from synth.questions import Alternative, Inquiry, Question

# Modules that parse questions and plan answers are imported on use: other commands need none.


def define(parser: argparse.ArgumentParser) -> None:
    set_run(parser, _run)
    parser.usage = (
        "%(prog)s TABLE --domain FILE --epsilon E\n         --question TEXT [options]"
    )
    parser.epilog = question_examples()
    read_options(parser, required=False)
    plans.offer_options(parser, "question", "questions")
    plans.declare(parser)
    plans.spend(parser, required=False)
    plans.offer_options(parser, "rho")
    plans.offer_options(
        parser, "delta", help="in addition to epsilon, such as 1e-9: allows Gaussian noise"
    )
    plans.offer_options(parser, "way", "release", "forecast")
    plans.offer_options(
        parser, "rows", group="forecast", help="with --forecast: how many rows"
    )
    plans.offer_options(parser, "ways", "error")
    plans.offer_options(parser, "out", help="folder for the answers and a certificate")
    plans.offer_options(parser, "bundle", "overwrite", *ledger.SPEND_OPTIONS)
    count_options(parser)


def question_examples() -> str:
    """Return an example of every kind of question that is asked of a table."""
    from synth.questions import KINDS

    asked = [f"\n  {kind} {kind.example}" for kind in KINDS.values() if not kind.is_released]
    return (
        "questions in plain words (names with blanks or signs in double quotes,\n"
        f"such values in single quotes):{''.join(asked)}"
    )


def _run(options: argparse.Namespace) -> None:
    free.check_free(options)
    if options.way == free.WAY:
        free.answer(options, _read_inquiry(options))
        return
    if not options.forecast:
        wrong = "{} is for a forecast; add --forecast, or leave it out."
        plans.refuse_given(options, ("rows", "error", "ways"), wrong)
        if options.table is None:
            raise ArgumentError("Name the TABLE, or add --forecast, which needs no table.")
    elif options.rows is None:
        raise ArgumentError(
            "A forecast reads no table: add --rows N, the rough number of rows."
        )
    given = [
        name for name in ("epsilon", "rho", "error") if getattr(options, name) is not None
    ]
    if len(given) > 1:
        raise ArgumentError(f"--{given[0]} and --{given[1]} both set the spend; keep one.")
    if not given:
        more = ", or --error T to see the spend you need" if options.forecast else ""
        raise ArgumentError(f"Set the spend: --epsilon E, such as 0.2, or --rho R{more}.")
    if options.rho is not None and options.delta is not None:
        raise ArgumentError(
            "--rho has no delta; leave out --delta, or give --epsilon instead."
        )
    if options.forecast:
        _forecast(options)
    else:
        _ask(options)


def questions_from(options: argparse.Namespace, domain: "Domain") -> list["Question"]:
    """Return the given questions, single or from a file; the domain helps to explain
    mistakes.

    Raises:
        ArgumentError: There are no questions.
        QuestionError: A question is invalid.
    """
    from synth.questions import read_listed, read_questions

    asked = list(read_listed(options.question, domain)) if options.question else []
    if options.questions is not None:
        asked += read_questions(Path(options.questions), domain)
    if not asked:
        raise ArgumentError(
            "There is no question. Add --question 'count where age >= 65', or --questions "
            "FILE.json for several."
        )
    return asked


def _read_inquiry(options: argparse.Namespace) -> "Inquiry":
    from synth.questions import Inquiry

    domain = plans.domain_from(options)
    return Inquiry.read(
        questions_from(options, domain),
        domain,
        choose_guarantee(partial(plans.read_option, options)),
        plans.read_option(options, "neighbors"),
        unit=plans.unit_from(options),
        way=None if options.way == free.WAY else options.way,
        dataset=plans.dataset_from(options),
    )


def _inquiry(options: argparse.Namespace) -> "Inquiry":
    # Checked completely before a table is read.
    made = _read_inquiry(options)
    if options.error is None:
        made.arrangement.spending  # noqa: B018 - arranged before the table is read
    return made


def _ask(options: argparse.Namespace) -> None:
    from synth.analysis import put_together, still_asked
    from synth.cli.answers import answer_lines, spent_line
    from synth.spending import ask

    protection = _check_outputs(options)
    inquiry, engine = _inquiry(options), options.engine
    offers = free.offers_of(options, inquiry)
    left = still_asked(inquiry, offers) if offers else inquiry
    if left is None:
        free.answer(options, inquiry)
        return
    inquiry = left
    names = (*inquiry.workload.universe.names, inquiry.unit.person)
    table = table_from(options, names)
    table.positions(inquiry.workload.universe)
    if inquiry.unit.person:
        table.position(inquiry.unit.person)
    book = ledger.open_ledger(options, inquiry.dataset, inquiry.neighbors, table)
    asked = ask(inquiry, table, ledger=book, progress=progress, engine=engine)
    tell(table, options)
    bundle = asked.write_archive(options.bundle, book, protection) if options.bundle else None
    paths = asked.write(options.out, book, protection) if options.out else {}
    paths |= {"bundle": bundle} if bundle else {}
    answers = put_together(offers, asked.answers) if offers else asked.answers
    summary: Document = {
        "answers": [answer.to_json() for answer in answers],
        **_charge_numbers(inquiry),
        "repeated": asked.repeated,
        "ledger": None if book is None else ledger.ledger_summary(book, inquiry.dataset),
    }
    if paths:
        summary["files"] = {name: str(path) for name, path in paths.items()}
    files = (f"  {path}" for path in paths.values())
    print_answer(options, summary, [*answer_lines(answers), spent_line(asked), *files])


def _check_outputs(options: argparse.Namespace) -> Protection:
    from synth.bundle import ANSWER_FILES

    outputs: list[Output] = []
    if options.bundle:
        outputs.append(FileOutput(options.bundle, (".zip",)))
    if options.out:
        outputs.append(FolderOutput(options.out, ANSWER_FILES))
    return check_paid_outputs(options, *outputs)


def _forecast(options: argparse.Namespace) -> None:
    from synth.analysis import put_together, still_asked
    from synth.cli.answers import forecast_lines, offer_lines, ways_lines
    from synth.questions import list_alternatives

    rows, inquiry = plans.read_option(options, "rows"), _inquiry(options)
    summary: Document = {}
    lines: list[str] = []
    if options.error is not None:
        inquiry, summary["needed"], lines = _fit_epsilon(inquiry, options, rows)
    offers = free.offers_of(options, inquiry, rows)
    left = still_asked(inquiry, offers) if offers else inquiry
    paid = [] if left is None else left.forecast(rows)
    answers = put_together(offers, paid) if offers else paid
    summary = {
        "answers": [answer.to_json(with_values=False) for answer in answers],
        **(free.free_spend(inquiry) if left is None else _charge_numbers(left)),
        **(
            {"free": [one.free.to_json(with_values=False) for one in offers]}
            if offers
            else {}
        ),
        **summary,
    }
    lines += forecast_lines(left, answers) + (offer_lines(offers) if offers else [])
    if options.ways:
        found = list_alternatives(inquiry, rows)
        summary["ways"] = [_way(one) for one in found]
        lines += ways_lines(found)
    print_answer(options, summary, lines)


def _fit_epsilon(
    inquiry: "Inquiry", options: argparse.Namespace, rows: int
) -> tuple["Inquiry", Document, list[str]]:
    from synth.questions import least_epsilon, least_rho

    wanted = plans.read_option(options, "error")
    epsilon, refused = _solve_budget(least_epsilon, inquiry, wanted, rows=rows)
    rho, _ = _solve_budget(least_rho, inquiry, wanted, rows=rows)
    if refused is not None and rho is None:
        raise refused
    if epsilon is None and rho is None:
        raise ArgumentError(
            f"No spend brings every answer to {options.error}; you need more rows."
        )
    if epsilon == 0:
        return inquiry, {"epsilon": 0, "rho": 0}, ["All of it is public: nothing is needed."]
    delta = inquiry.guarantee.delta
    found = inquiry.priced_at(
        Guarantee.of(epsilon, delta) if epsilon else Guarantee.zcdp(rho or 1)
    )
    numbers = {"epsilon": epsilon, "rho": rho}
    words = " or ".join(f"{name} = {plain(one)}" for name, one in numbers.items() if one)
    needs: Document = {
        name: None if one is None else plain(one) for name, one in numbers.items()
    }
    said = f"{words} is enough for errors of at most {options.error} in every answer."
    return found, needs, [said]


def _solve_budget(
    solve: "Callable[[Inquiry, Fraction, int], Fraction | None]",
    inquiry: "Inquiry",
    wanted: Fraction,
    *,
    rows: int,
) -> tuple[Fraction | None, QuestionError | None]:
    try:
        return solve(inquiry, wanted, rows), None
    except QuestionError as error:
        return None, error


def _charge_numbers(inquiry: "Inquiry") -> Document:
    spent = inquiry.arrangement.spending
    if spent is None:
        found: Document = {"epsilon": 0, "delta": 0}
    else:
        means = implied_guarantee(spent)
        found = {"epsilon": at_least(means.epsilon), "delta": at_least(means.delta)}
        if spent.rho is not None:
            found["rho"] = at_least(spent.rho)
    return {**found, "neighbors": inquiry.neighbors.value}


def at_least(number: Fraction | None) -> float | int:
    """Return a number for JSON: the shortest that is not smaller.

    >>> (
    ...     at_least(Fraction(1, 5)),
    ...     at_least(Fraction(3)),
    ...     Fraction(at_least(Fraction(1, 3))) * 3 > 1,
    ... )
    (0.2, 3, True)
    """
    exact = number or Fraction(0)
    if exact.denominator == 1:
        return int(exact)
    found = float(exact)
    return found if Fraction(repr(found)) >= exact else math.nextafter(found, math.inf)


def _way(one: "Alternative") -> Document:
    from synth.questions import round_digits

    return {
        "way": one.way.value if one.way else "auto",
        "taken": one.taken,
        **_charge_numbers(one.inquiry),
        "expected_errors": [round_digits(answer.expected_error, 6) for answer in one.answers],
        "largest_error": None if one.largest is None else round_digits(one.largest, 6),
    }
