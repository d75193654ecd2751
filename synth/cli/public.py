"""``--public FILE --vouched-by NAME``: a public table as the guess of a release."""

import argparse
from dataclasses import replace

from synth.errors import ArgumentError
from synth.estimate import PublicTable
from synth.plans import Plan
from synth.spending import read_public


def add_public_options(parser: argparse.ArgumentParser) -> None:
    """The public table, and who says that it is public."""
    parser.add_argument(
        "--public",
        metavar="FILE",
        help="a public table of the same columns, or of some, as the guess that noisy counts "
        "correct: last year's, a census extract, the bundle of an earlier synthetic release. "
        "Nothing in it is protected",
    )
    parser.add_argument(
        "--vouched-by", metavar="NAME", help="who declares that the public table is public"
    )


def public_from(options: argparse.Namespace, plan: Plan) -> tuple[Plan, PublicTable | None]:
    """The plan with its public table, and the table.

    Raises:
        SynthError: It cannot be the guess, or nobody vouches for it.
    """
    named = options.vouched_by or ""
    if options.public is None:
        if named:
            raise ArgumentError(
                "--vouched-by is about a public table; say which one by --public FILE."
            )
        return plan, None
    if plan.public is not None and not named:
        named = plan.public.vouched_by
    table = read_public(options.public, plan.domain, named)
    return (plan if plan.public else replace(plan, public=table.source)), table
