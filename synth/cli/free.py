"""``ask --release BUNDLE.zip``: answers from an existing release, at no cost."""

import argparse
from typing import TYPE_CHECKING

from synth.cli.plan import refuse_given
from synth.cli.saying import print_answer
from synth.errors import ArgumentError, ReleaseError
from synth.util import Document

if TYPE_CHECKING:
    from synth.analysis import Offer
    from synth.estimate import Record
    from synth.questions import Inquiry

# Modules for bundles and questions are imported on use: other commands do not need them.

RELEASE_WAY = "release"
NOTHING = "Read off the release: nothing was spent, and no table was opened."


def check_free(options: argparse.Namespace) -> None:
    """Refuse options that have no meaning for answers at no cost.

    Raises:
        ArgumentError: The way is "release", and no release is named or an option of a spend
            is given; or both a release and a wanted error are.
    """
    if options.way == RELEASE_WAY and options.release is None:
        raise ArgumentError("Say which release answers: --release BUNDLE.zip.")
    if options.way == RELEASE_WAY:
        paid = ("epsilon", "rho", "delta", "error", "out", "ledger")
        refuse_given(
            options, paid, "--way release spends nothing and signs nothing: leave out {}."
        )
    if options.release is not None and options.error is not None:
        raise ArgumentError("--error asks what a table has to be paid; leave out --release.")


def released_record(options: argparse.Namespace, inquiry: "Inquiry") -> "Record":
    """Return the noisy counts of the bundle that ``--release`` names, after all checks.

    Args:
        options: The options of the command line.
        inquiry: The questions, which must protect the same unit as the release.

    Raises:
        ReleaseError: A check failed, or the bundle counts the rows of persons in another way.
    """
    from synth.verification import open_bundle

    result = open_bundle(options.release).result
    if result.plan.unit != inquiry.unit:
        raise ReleaseError(
            f"The release protects {result.plan.unit}, and the questions {inquiry.unit}; "
            "give the same --person and --max-rows."
        )
    return result.record


def answer(options: argparse.Namespace, inquiry: "Inquiry") -> None:
    """Print the release's answers to all questions; for a forecast, without values."""
    from synth.analysis import free_answers
    from synth.cli.answers import answer_lines, forecast_table

    answers = free_answers(inquiry, released_record(options, inquiry))
    has_values = not options.forecast
    lines = answer_lines(answers) if has_values else forecast_table(answers)
    summary: Document = {
        "answers": [free_answer.to_json(with_values=has_values) for free_answer in answers],
        **free_spend(inquiry),
    }
    print_answer(options, summary, [*lines, NOTHING])


def free_spend(inquiry: "Inquiry") -> Document:
    """Return the spend of free answers, for `--json`."""
    return {"epsilon": 0, "delta": 0, "neighbors": inquiry.neighbors.value}


def offers_of(
    options: argparse.Namespace, inquiry: "Inquiry", rows: int | None = None
) -> "list[Offer]":
    """Return the release's free answers with forecasts of asking the table.

    Args:
        options: The options of the command line.
        inquiry: The questions, with the price of asking them.
        rows: The rough number of rows; by default that of the release.

    Returns:
        One for each question; none if no release is named.
    """
    if options.release is None:
        return []
    from synth.analysis import with_release

    return with_release(inquiry, released_record(options, inquiry), rows)
