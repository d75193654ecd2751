"""``synth domain draft --look``: relations that all rows obey, and taking them in.

A proposal rests on all rows, so it goes to the terminal of the steward who asked for the look
and to no file until it is taken in.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from shlex import quote

from synth.cli.saying import say
from synth.drafting import Proposal, TakenProposals, choose_proposals, take_proposals
from synth.errors import ArgumentError
from synth.util import Document, FileOutput, Protection

# The name for all proposals.
EVERY = "all"


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
        help="with --look: a proposed relation of all rows to take in, or 'all'; it is "
        "marked as taken from the rows. Rules among them, for release --rules, are written "
        "next to the description: for people.json into people.rules.json",
    )


def refuse_without_look(options: argparse.Namespace) -> None:
    """Refuse options about proposals without a look, which alone finds any.

    Raises:
        ArgumentError: There is such an option, and no ``--look``.
    """
    if options.obey and not options.look:
        raise ArgumentError("--obey needs --look.")


def list_outputs(options: argparse.Namespace) -> list[FileOutput]:
    """Return the file of rules, if proposals are taken into a file."""
    if options.out is None or not options.obey:
        return []
    return [FileOutput(rules_beside(options.out))]


def rules_beside(description: str | Path) -> Path:
    """Return where the rules of a description are written: next to it.

    >>> rules_beside("made/people.json").as_posix()
    'made/people.rules.json'
    """
    return Path(description).with_suffix(".rules.json")


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
        ArgumentError: A name is no proposal, or a rule has no file to go to.
    """
    chosen = choose_proposals(proposals, options.obey, every=EVERY)
    if any(proposal.rule for proposal in chosen) and options.out is None:
        name = next(proposal.name for proposal in chosen if proposal.rule)
        raise ArgumentError(
            f"'{name}' is a rule, and rules have a file of their own, next to the "
            "description: add --out FILE.json."
        )
    if options.obey and not chosen:
        say("The look proposes no relation, so none was taken in.", to=sys.stderr)
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


def check_rules(
    options: argparse.Namespace, taken: TakenProposals, protection: Protection
) -> None:
    """Refuse rules whose file is there already and holds others.

    Args:
        options: The options of the command line.
        taken: The declaration and the rules.
        protection: It refuses to replace files.

    Raises:
        ReleaseError: There is such a file.
    """
    from synth.bundle import json_bytes

    if taken.rules:
        protection.check_content(rules_beside(options.out), json_bytes(taken.rules))


def write_rules(
    options: argparse.Namespace, taken: TakenProposals, protection: Protection
) -> None:
    """Write the rules that were taken in, if there are any; only their user reads them.

    Args:
        options: The options of the command line.
        taken: The declaration and the rules.
        protection: It refuses to replace files.
    """
    from synth.bundle import json_bytes

    if not taken.rules:
        return
    path = rules_beside(options.out)
    content = json_bytes(taken.rules)
    protection.write_file(path, lambda part: part.write_bytes(content), private=True)
    say(f"Rules of synth release --rules: {path}", to=sys.stderr)
