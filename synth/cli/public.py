"""``--public FILE --vouched-by NAME``: a public table as the guess of a release."""

import argparse
from dataclasses import replace

from synth.cli.plan import read_option
from synth.errors import ArgumentError
from synth.estimate import PublicTable
from synth.plans import Plan
from synth.spending import read_public


def public_from(options: argparse.Namespace, plan: Plan) -> tuple[Plan, PublicTable | None]:
    """Return the plan with its public table, and the table.

    Raises:
        SynthError: The table cannot be the guess, or nobody vouches for it.
    """
    named = read_option(options, "vouched_by")
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
