"""The options of a command that follows a plan, and the plan from them or ``--plan FILE``."""

import argparse
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from synth import limits
from synth.cli.saying import say
from synth.domain import Domain, finish, load_description, select_fields
from synth.errors import ArgumentError
from synth.foreign import load_file
from synth.plans import OPTIONS
from synth.privacy import Unit
from synth.private.table import is_address, parse_address
from synth.util import is_same_file, read_json

if TYPE_CHECKING:
    from synth.plans import Plan

# The groups of options in the help of a command.
OPTION_GROUPS = {
    "columns": "plan domain columns candidates",
    "questions": "question questions request way release",
    "guarantee": "epsilon neighbors person max_rows delta rho",
    "method": (
        "method groups rules max_model_mb repair repair_seen rows favour predict moments"
    ),
    "public table": "public vouched_by",
    "results": "out in_parts overwrite score",
    "checks": "check anyway vouch look",
    "ledger": "ledger no_ledger dataset new_dataset budget as project",
    "forecast": "forecast ways error",
}
GROUP_OF = {name: group for group, names in OPTION_GROUPS.items() for name in names.split()}
DOMAIN_OPTIONS = ("domain", "columns")
SPENT = ("epsilon", "neighbors", "person", "max_rows")
CHOSEN = (
    "method",
    "delta",
    "groups",
    "rules",
    "max_model_mb",
    "repair",
    "repair_seen",
    "rows",
    "favour",
    "predict",
    "moments",
)


def in_group(parser: argparse.ArgumentParser, title: str) -> argparse._ArgumentGroup:
    """Return the parser's group of options with this title; it is added at the first use.

    The help shows groups in the order in which they were added.
    """
    for group in parser._action_groups:
        if group.title == title:
            return group
    return parser.add_argument_group(title)


def offer_options(
    parser: argparse.ArgumentParser, *names: str, group: str = "", **changes: Any
) -> None:
    """Add options from `synth.plans.options`, each to a group, by default of `OPTION_GROUPS`.

    Args:
        parser: The parser of the command.
        names: The names of the options.
        group: The title of their group.
        changes: Differences for this command, such as the help.
    """
    for option in map(OPTIONS.__getitem__, names):
        settings: dict[str, Any] = {"help": option.meaning or None}
        # A switch; an option that may be repeated; or a single value, perhaps of some words.
        if option.default is False:
            settings["action"] = "store_true"
        elif option.several:
            settings |= {"metavar": option.metavar, "action": "append"}
        else:
            words = None if option.words is None else [str(word) for word in option.words]
            settings |= {"metavar": option.metavar, "choices": words}
        in_group(parser, group or GROUP_OF[option.name]).add_argument(
            *filter(None, [option.flag, option.letter]), **{**settings, **changes}
        )


def refuse_given(options: argparse.Namespace, names: Iterable[str], message: str) -> None:
    """Refuse options that conflict with others.

    Args:
        options: The options of the command line.
        names: The names of the refused options, with underscores.
        message: The sentence about the first one that is given, with ``{}`` for its flag.

    Raises:
        ArgumentError: One of them is given.
    """
    for name in names:
        if getattr(options, name, None) not in (None, False, ""):
            raise ArgumentError(message.format(OPTIONS[name].flag))


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of a whole plan."""
    offer_options(parser, "plan", *DOMAIN_OPTIONS, *SPENT, *CHOSEN)


def declare(parser: argparse.ArgumentParser, *, required: bool = True) -> None:
    """Add the options of the declaration."""
    offer_options(parser, "domain", required=required)
    offer_options(parser, "columns")


def spend(parser: argparse.ArgumentParser, *, required: bool = True) -> None:
    """Add the options of the spend and its unit."""
    offer_options(parser, "epsilon", required=required)
    offer_options(parser, *SPENT[1:])


def read_option(options: argparse.Namespace, name: str) -> Any:
    """Return the value of an option as read from its text, or its default if not typed.

    Raises:
        SynthError: The value is invalid.
    """
    text = getattr(options, name)
    return OPTIONS[name].default if text is None else OPTIONS[name].from_text(text)


def plan_from(options: argparse.Namespace) -> "Plan":
    """Return the plan of a release, from the options or from the file of ``--plan``.

    Raises:
        SynthError: An option is missing, given twice or wrong.
    """
    dataset = dataset_from(options)
    if options.plan is not None:
        set_by_plan = (*DOMAIN_OPTIONS, *SPENT, *CHOSEN)
        refuse_given(
            options, set_by_plan, "The plan sets these already; leave out {}, or --plan."
        )
        path = Path(options.plan)
        text = load_file(path, limits.SCHEMA_MB * 2**20, "The plan", kind=ArgumentError)
        content = read_json(text, f"The plan '{path.name}'")
        from synth.plans import Plan

        # What is no JSON object is read as an empty plan, whose error says what is missing.
        return Plan.from_json(
            {**content, "dataset": dataset} if isinstance(content, dict) else {}
        )
    for name in ("domain", "epsilon"):
        if getattr(options, name) is None:
            raise ArgumentError(
                f"The option --{name} is missing; give it, or a whole plan by --plan FILE."
            )
    return plan_with(options, domain_from(options))


def plan_with(options: argparse.Namespace, domain: Domain) -> "Plan":
    """Return the plan of a release of these columns, with all other options.

    Raises:
        SynthError: An option is wrong.
    """
    from synth.plans import Plan

    chosen = {name: read_option(options, name) for name in ("epsilon", "neighbors", *CHOSEN)}
    if options.max_model_mb is None:  # a server may allow less memory than the default
        chosen["max_model_mb"] = min(limits.MODEL_MB, limits.memory_mb())
    return Plan(
        domain=domain, unit=unit_from(options), dataset=dataset_from(options), **chosen
    )


def domain_from(options: argparse.Namespace) -> Domain:
    """Return the domain of the named file, of the chosen columns.

    The other columns of the file may be incomplete.

    Raises:
        SynthError: The file declares no domain, or lacks a chosen column.
    """
    names = read_option(options, "columns")
    domain = read_domain(options, names)
    return domain if names is None else domain.choose(names)


def read_domain(options: argparse.Namespace, names: Sequence[str] | None = None) -> Domain:
    """Return the domain of the named file; notes on missing parts go to stderr.

    Args:
        options: The options of the command line.
        names: The columns that are needed; by default all.

    Raises:
        SynthError: The file declares no domain.
    """
    table = getattr(options, "table", None) or ""
    is_file = not is_address(table) and Path(table).is_file()
    if is_file and is_same_file(table, options.domain):
        raise ArgumentError(
            f"'{Path(table).name}' is the table itself, and --domain takes a description of "
            "its columns: draft one by synth domain draft."
        )
    document, notes = load_description(options.domain)
    for note in notes:
        say(f"Note: {note}", to=sys.stderr)
    return finish(select_fields(document, names))


def dataset_from(options: argparse.Namespace) -> str:
    """Return the dataset's name in the ledger, by default that of the file."""
    from synth.spending import dataset_of

    if options.dataset:
        return str(options.dataset)
    name = options.table or "table"
    return parse_address(name).name if is_address(name) else dataset_of(name)


def unit_from(options: argparse.Namespace) -> Unit:
    """Return the privacy unit by the options."""
    return Unit(read_option(options, "person"), read_option(options, "max_rows"))
