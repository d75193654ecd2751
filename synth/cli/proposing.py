"""``synth domain draft --look``: relations that all rows obey, and taking them in.

A proposal rests on all rows, so it goes to the terminal of the steward who asked for the look
and to no file until it is taken in.
"""

import argparse
import sys
from collections.abc import Sequence
from shlex import quote

from synth.cli.saying import say
from synth.drafting import Proposal, TakenProposals, choose_proposals, take_proposals
from synth.errors import ArgumentError
from synth.util import Document, FileOutput, Protection

# The name for all proposals.
EVERY = "all"
LOOK_OPTIONS = ("obey", "rules_out")


def add_options(group: argparse._ArgumentGroup) -> None:
    """Add the options that take proposals in.

    Args:
        group: The options of a look.
    """
    group.add_argument(
        "--obey",
        action="append",
        default=[],
        metavar="PROPOSAL",
        help="with --look: a proposed relation of all rows to take in, or 'all'; "
        "it is marked as taken from the rows",
    )
    group.add_argument(
        "--rules-out",
        metavar="FILE",
        help="with --obey: the file for the rules among them (for --rules of synth release)",
    )


def refuse_without_look(options: argparse.Namespace) -> None:
    """Refuse options about proposals without a look, which alone finds any.

    Raises:
        ArgumentError: There is such an option, and no ``--look``; or ``--rules-out`` alone.
    """
    given = [name for name in LOOK_OPTIONS if getattr(options, name)]
    if given and not options.look:
        raise ArgumentError(f"--{given[0].replace('_', '-')} needs --look.")
    if options.rules_out and not options.obey:
        raise ArgumentError("--rules-out needs --obey PROPOSAL.")


def list_outputs(options: argparse.Namespace) -> list[FileOutput]:
    """Return the file of rules, if the options name one."""
    return [] if options.rules_out is None else [FileOutput(options.rules_out, (".json",))]


def take_named(
    options: argparse.Namespace, proposals: Sequence[Proposal], document: Document
) -> TakenProposals:
    """Return the declaration and the rules with the proposals that the options name.

    All others are listed for the steward, with what to type. PRIVATE.

    Args:
        options: The options of the command line.
        proposals: What a look proposes.
        document: The drafted declaration.

    Raises:
        ArgumentError: A name is no proposal, or there is no file for a rule.
    """
    chosen = choose_proposals(proposals, options.obey, every=EVERY)
    if any(proposal.rule for proposal in chosen) and options.rules_out is None:
        name = next(proposal.name for proposal in chosen if proposal.rule)
        raise ArgumentError(
            f"'{name}' is a rule, and rules have a file of their own: add --rules-out FILE, "
            "and give that file to synth release --rules."
        )
    for proposal in chosen:
        say(f"Taken in from the rows: {proposal.sentence}.", to=sys.stderr)
    others = [proposal for proposal in proposals if proposal not in chosen]
    for proposal in others:
        say(
            f"Proposal: in all rows, {proposal.sentence} (--obey {quote(proposal.name)}).",
            to=sys.stderr,
        )
    if len(others) > 1 and not chosen:
        say(f"All of these proposals: --obey {EVERY}.", to=sys.stderr)
    return take_proposals(chosen, document, None)


def write_rules(
    options: argparse.Namespace, taken: TakenProposals, protection: Protection
) -> None:
    """Write the rules that were taken in, if the options name a file; only its user reads it.

    Args:
        options: The options of the command line.
        taken: The declaration and the rules.
        protection: It refuses to replace files.
    """
    from synth.bundle import json_bytes

    if options.rules_out is not None:
        protection.write_file(
            options.rules_out,
            lambda part: part.write_bytes(json_bytes(taken.rules)),
            private=True,
        )
