"""``python -m synth ask TABLE --question '...'``: answers to questions, or their forecast."""

import argparse
import math
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
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
from synth.cli.outputs import (
    FOLDER,
    ZIP,
    check_paid_outputs,
    list_named,
    outputs_by_ending,
)
from synth.cli.saying import print_answer, say, set_run
from synth.errors import ArgumentError, QuestionError
from synth.plans import choose_guarantee
from synth.privacy import Guarantee, implied_guarantee, plain, scientific
from synth.util import Document, Protection

if TYPE_CHECKING:
    from synth.analysis import Offer
    from synth.bundle import Asked, CheckRequest
    from synth.domain import Domain
    from synth.door import Ledger
    from synth.questions import Alternative, Inquiry, Question

# What `synth ask` can write.
ENDINGS = (FOLDER, ZIP)

# Modules that parse questions and plan answers are imported on use: other commands need none.


def define(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``synth ask``, and the function that runs."""
    set_run(parser, _run)
    parser.usage = (
        "%(prog)s TABLE --domain FILE --epsilon E\n         --question TEXT [options]"
    )
    parser.epilog = question_examples()
    read_options(parser, required=False)
    plans.offer_options(parser, "question", "questions", "request")
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
    plans.offer_options(
        parser,
        "out",
        action="append",
        help="the answers with a certificate: into a folder, or as one bundle where the name "
        "ends with .zip; may be given for both",
    )
    plans.offer_options(parser, "overwrite", *ledger.SPEND_OPTIONS)
    count_options(parser)


def question_examples() -> str:
    """Return an example of every kind of question that is asked of a table."""
    from synth.questions import kinds_of_tables

    examples = [f"\n  {kind} {kind.example}" for kind in kinds_of_tables()]
    return (
        "questions in plain words (names with blanks or signs in double quotes,\n"
        f"such values in single quotes):{''.join(examples)}"
    )


def _run(options: argparse.Namespace) -> None:
    """Answer questions, or print their forecast, after a check of all options.

    Raises:
        ArgumentError: Options are missing or do not go together.
    """
    free.check_free(options)
    if options.way == free.RELEASE_WAY:
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
    budget_options = [
        name for name in ("epsilon", "rho", "error") if getattr(options, name) is not None
    ]
    if len(budget_options) > 1:
        raise ArgumentError(
            f"--{budget_options[0]} and --{budget_options[1]} both set the spend; keep one."
        )
    if not budget_options:
        alternative = ""
        if options.forecast:
            alternative = ", or --error T to see the spend you need"
        raise ArgumentError(
            f"Set the spend: --epsilon E, such as 0.2, or --rho R{alternative}."
        )
    if options.rho is not None and options.delta is not None:
        raise ArgumentError(
            "--rho has no delta; leave out --delta, or give --epsilon instead."
        )
    if options.forecast:
        _forecast(options)
    else:
        _ask(options)


def questions_from(options: argparse.Namespace, domain: "Domain") -> list["Question"]:
    """Return the questions of the options, single ones before those of a file.

    Args:
        options: The options of the command line.
        domain: The declared columns, which help to explain mistakes in a question.

    Raises:
        ArgumentError: There are no questions.
        QuestionError: A question is invalid.
    """
    from synth.questions import read_listed, read_questions

    if request := _read_request(options):
        return [request.question]
    questions = list(read_listed(options.question, domain)) if options.question else []
    if options.questions is not None:
        questions += read_questions(Path(options.questions), domain)
    if not questions:
        raise ArgumentError(
            "There is no question. Add --question 'count where age >= 65', or --questions "
            "FILE.json for several."
        )
    return questions


def _read_request(options: argparse.Namespace) -> "CheckRequest | None":
    """Return the request of the options; None if there is none.

    Raises:
        ArgumentError: There are other questions, too.
        SynthError: The file is no request.
    """
    # Commands that answer from a release take no request.
    if getattr(options, "request", None) is None:
        return None
    if options.question or options.questions is not None:
        raise ArgumentError(
            "A request is one question; leave out --question and --questions."
        )
    from synth.bundle import load_check_request

    return load_check_request(options.request)


def _read_inquiry(options: argparse.Namespace) -> "Inquiry":
    """Return the questions of the options with their domain, guarantee and unit."""
    from synth.questions import Inquiry

    domain = plans.domain_from(options)
    request = _read_request(options)
    inquiry = Inquiry.read(
        questions_from(options, domain),
        domain,
        choose_guarantee(partial(plans.read_option, options)),
        neighbors=plans.read_option(options, "neighbors"),
        unit=plans.unit_from(options),
        way=None if options.way == free.RELEASE_WAY else options.way,
        dataset=plans.dataset_from(options),
    )
    return inquiry if request is None else replace(inquiry, asker=request.asker)


def _inquiry(options: argparse.Namespace) -> "Inquiry":
    """Return the inquiry, checked completely before a table is read.

    Raises:
        SynthError: An option or a question is wrong, or the budget cannot answer it.
    """
    inquiry = _read_inquiry(options)
    if options.error is None:  # else the budget is still to be found
        inquiry.arrangement.spending  # noqa: B018 - arranged before the table is read
    return inquiry


def _ask(options: argparse.Namespace) -> None:
    """Answer questions from the table, print the answers and write their files.

    With a release, questions that it answers better are not asked of the table.
    """
    from synth.cli.answers import answer_lines, spent_line
    from synth.spending import ask

    ledger.choose_ledger(options)
    protection = _check_outputs(options)
    inquiry = _inquiry(options)
    engine = options.engine
    offers = free.offers_of(options, inquiry)
    paid_inquiry: Inquiry | None = inquiry
    if offers:
        from synth.analysis import still_asked

        paid_inquiry = still_asked(inquiry, offers)
    if paid_inquiry is None:  # the release answers every question at least as well
        free.answer(options, inquiry)
        return
    inquiry = paid_inquiry
    names = (*inquiry.workload.universe.names, inquiry.unit.person)
    table = table_from(options, names)
    # Refuse columns that the table lacks before a ledger is opened.
    table.positions(inquiry.workload.universe)
    if inquiry.unit.person:
        table.position(inquiry.unit.person)
    spent = inquiry.arrangement.spending
    book = ledger.open_ledger(
        options, inquiry.dataset, inquiry.neighbors, table, costs=[spent] if spent else []
    )
    result = ask(inquiry, table, ledger=book, progress=progress, engine=engine)
    _tell_release(options, book, inquiry.dataset)
    tell(table, options)
    paths = _write(options, result, book, protection=protection)
    answers = result.answers
    if offers:
        from synth.analysis import put_together

        answers = put_together(offers, answers)
    summary: Document = {
        "answers": [answer.to_json() for answer in answers],
        **_charge_numbers(inquiry),
        "repeated": result.repeated,
        "ledger": None if book is None else ledger.ledger_summary(book, inquiry.dataset),
    }
    if paths:
        summary["files"] = {name: str(path) for name, path in paths.items()}
    files = (f"  {path}" for path in paths.values())
    lines = [*answer_lines(answers), spent_line(result), *files]
    print_answer(options, summary, [*lines, *ledger.recording_lines(book)])


def _tell_release(options: argparse.Namespace, book: "Ledger | None", dataset: str) -> None:
    """Print to stderr if a request is about a release that the ledger does not know."""
    request = _read_request(options)
    if request is not None and (book is None or not request.is_about(book, dataset)):
        say(
            f"Note: the ledger knows no release of '{dataset}' with the certificate "
            f"{request.release[:12]}…, which the request names.",
            to=sys.stderr,
        )


def _write(
    options: argparse.Namespace,
    result: "Asked",
    book: "Ledger | None",
    *,
    protection: Protection,
) -> dict[str, Path]:
    """Write the answers as a bundle, into a folder, or both; return the paths by name.

    Args:
        options: The options of the command line, with the outputs.
        result: The answers.
        book: The ledger that records them; None for none.
        protection: It refuses to replace files.
    """
    outputs = outputs_by_ending(options.out, ENDINGS)
    bundle = {}
    if ZIP in outputs:
        bundle = {"bundle": result.write_archive(outputs[ZIP], book, protection)}
    files = result.write(outputs[FOLDER], book, protection) if FOLDER in outputs else {}
    return files | bundle


def _check_outputs(options: argparse.Namespace) -> Protection:
    """Refuse outputs that cannot be written; return the protection to write them with."""
    paths = outputs_by_ending(options.out, ENDINGS)
    names: tuple[str, ...] = ()
    if FOLDER in paths:
        from synth.bundle import ANSWER_FILES  # whose writers an answer alone does not need

        names = ANSWER_FILES
    return check_paid_outputs(options, *list_named(paths, names))


def _forecast(options: argparse.Namespace) -> None:
    """Print the average errors and the cost of answers, without a table."""
    from synth.analysis import put_together, still_asked
    from synth.cli.answers import forecast_lines, offer_lines, ways_lines
    from synth.questions import list_alternatives

    rows = plans.read_option(options, "rows")
    inquiry = _inquiry(options)
    summary: Document = {}
    lines: list[str] = []
    if options.error is not None:
        inquiry, summary["needed"], lines = _fit_epsilon(inquiry, options, rows)
    offers = free.offers_of(options, inquiry, rows)
    paid_inquiry = still_asked(inquiry, offers) if offers else inquiry
    paid = [] if paid_inquiry is None else paid_inquiry.forecast(rows)
    answers = put_together(offers, paid) if offers else paid
    summary = {
        "answers": [answer.to_json(with_values=False) for answer in answers],
        **_spend_numbers(inquiry, paid_inquiry, offers),
        **summary,
    }
    lines += forecast_lines(paid_inquiry, answers)
    if offers:
        lines += offer_lines(offers)
    if options.ways:
        alternatives = list_alternatives(inquiry, rows)
        summary["ways"] = [_way(alternative) for alternative in alternatives]
        lines += ways_lines(alternatives)
    print_answer(options, summary, lines)


def _spend_numbers(
    inquiry: "Inquiry", paid_inquiry: "Inquiry | None", offers: "Sequence[Offer]"
) -> Document:
    """Return as JSON what a forecast says of the spend.

    Args:
        inquiry: All questions.
        paid_inquiry: Those that are asked of the table; None if a release answers all.
        offers: The free answers of a release with forecasts; empty without a release.
    """
    if paid_inquiry is None:
        numbers = free.free_spend(inquiry)
    else:
        numbers = _charge_numbers(paid_inquiry)
    if offers:
        numbers["free"] = [offer.free.to_json(with_values=False) for offer in offers]
    return numbers


def _fit_epsilon(
    inquiry: "Inquiry", options: argparse.Namespace, rows: int
) -> tuple["Inquiry", Document, list[str]]:
    """Return the inquiry with the least budget that keeps all errors within ``--error``.

    Args:
        inquiry: The questions; its epsilon is replaced.
        options: The options of the command line.
        rows: The rough number of rows.

    Returns:
        The inquiry at that price; the epsilon and the rho as JSON, None for one that is not
        enough; and a sentence on them.

    Raises:
        ArgumentError: No budget is enough.
        QuestionError: The questions have no answer at any budget.
    """
    from synth.questions import least_epsilon, least_rho

    error = plans.read_option(options, "error")
    epsilon, refused = _solve_budget(least_epsilon, inquiry, error, rows=rows)
    rho, _ = _solve_budget(least_rho, inquiry, error, rows=rows)
    if refused is not None and rho is None:
        raise refused
    if epsilon is None and rho is None:
        raise ArgumentError(
            f"No spend brings every answer to {options.error}; you need more rows."
        )
    if epsilon == 0:
        return inquiry, {"epsilon": 0, "rho": 0}, ["All of it is public: nothing is needed."]
    delta = inquiry.guarantee.delta
    # The price is an epsilon, and a rho only if no epsilon is enough.
    priced_inquiry = inquiry.priced_at(
        Guarantee.of(epsilon, delta) if epsilon else Guarantee.zcdp(rho or 1)
    )
    numbers = {"epsilon": epsilon, "rho": rho}
    words_by_name = {
        name: f"{name} = {plain(number)}" for name, number in numbers.items() if number
    }
    if epsilon and delta:  # the epsilon is enough together with this delta
        words_by_name["epsilon"] += f" with delta = {scientific(delta)}"
    words = " or ".join(words_by_name.values())
    needs: Document = {
        name: None if number is None else plain(number) for name, number in numbers.items()
    }
    sentence = f"{words} is enough for errors of at most {options.error} in every answer."
    return priced_inquiry, needs, [sentence]


def _solve_budget(
    solve: "Callable[[Inquiry, Fraction, int], Fraction | None]",
    inquiry: "Inquiry",
    error_bound: Fraction,
    *,
    rows: int,
) -> tuple[Fraction | None, QuestionError | None]:
    """Return the least budget for errors up to a bound, or why the questions have no answer.

    Args:
        solve: `least_epsilon` or `least_rho`: from the questions, the bound and the number of
            rows to a budget, or None if no budget is enough.
        rows: The number that the steward typed.
    """
    try:
        return solve(inquiry, error_bound, rows), None
    except QuestionError as error:
        return None, error


def _charge_numbers(inquiry: "Inquiry") -> Document:
    """Return as JSON what the answers would cost, each number never below the exact one."""
    spent = inquiry.arrangement.spending
    if spent is None:
        numbers: Document = {"epsilon": 0, "delta": 0}
    else:
        means = implied_guarantee(spent)  # the epsilon and the delta that a rho implies
        numbers = {"epsilon": at_least(means.epsilon), "delta": at_least(means.delta)}
        if spent.rho is not None:
            numbers["rho"] = at_least(spent.rho)
    return {**numbers, "neighbors": inquiry.neighbors.value}


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
    nearest = float(exact)
    # JSON holds its decimal spelling, which may be smaller than the exact number.
    return nearest if Fraction(repr(nearest)) >= exact else math.nextafter(nearest, math.inf)


def _way(alternative: "Alternative") -> Document:
    """Return a method of noise with its cost and its average errors as JSON."""
    from synth.questions import round_digits

    return {
        "way": alternative.way.value if alternative.way else "auto",
        "taken": alternative.taken,
        **_charge_numbers(alternative.inquiry),
        "expected_errors": [
            round_digits(answer.expected_error, 6) for answer in alternative.answers
        ],
        "largest_error": None
        if alternative.largest is None
        else round_digits(alternative.largest, 6),
    }
