"""Options are declared once: whatever else says a default says the same."""

import argparse
import inspect
from dataclasses import MISSING, fields
from fractions import Fraction
from types import ModuleType

import pytest

import synth
from pages.ui.shell.draft import Draft
from pages.ui.shell.draft_plan import AS_IN_PLAN
from synth.cli import ask, check, release
from synth.cli import plan as plans
from synth.domain import Domain
from synth.errors import ArgumentError
from synth.plans import OPTIONS, Plan
from synth.plans.options import IN_PLAN

DOMAIN = Domain(sex=["f", "m"])
# A plan with only what must be given.
BARE = Plan(domain=DOMAIN, epsilon=Fraction(1))


@pytest.mark.parametrize("name", [f.name for f in fields(Plan) if f.default is not MISSING])
def test_a_plan_has_the_defaults_of_the_table(name: str) -> None:
    """A plan built by hand has the defaults of the table of options, except for sums of
    numbers.
    """
    if name not in ("unit", "moments"):
        assert getattr(BARE, name) == OPTIONS[name].default
    # A file without sums means none, so the bare plan has none, while the option means auto.
    assert BARE.moments == ()
    assert OPTIONS["moments"].default == ("auto",)
    assert (BARE.unit.person, BARE.unit.max_rows) == (
        OPTIONS["person"].default,
        OPTIONS["max_rows"].default,
    )


@pytest.mark.parametrize("function", [synth.release, synth.ask, synth.forecast])
def test_a_function_has_the_defaults_of_the_table(function: object) -> None:
    """The public functions have the defaults of the table of options, for the options they
    share.

    A few parameters are left out, whose default is a function's own matter.
    """
    parameters = inspect.signature(function).parameters  # type: ignore[arg-type]
    # Parameters that may be left out.
    optional = {
        name
        for name, parameter in parameters.items()
        if parameter.default is not parameter.empty
    }
    for name in OPTIONS.keys() & optional - {"domain", "epsilon", "dataset", "rows"}:
        default = parameters[name].default
        assert OPTIONS[name].from_call(default) == OPTIONS[name].default, name


def test_a_draft_has_the_defaults_of_the_table() -> None:
    for name in AS_IN_PLAN:
        assert getattr(Draft(), name) == OPTIONS[name].default


def test_nothing_typed_is_every_default() -> None:
    """An empty command line reads as the default of every option in the table."""
    parser = argparse.ArgumentParser()
    plans.add_options(parser)
    arguments = parser.parse_args([])
    for name in (*plans.SPENT, *plans.CHOSEN):
        assert plans.read_option(arguments, name) == OPTIONS[name].default


@pytest.mark.parametrize("command", [release, ask, check])
def test_a_command_has_the_options_of_the_table(command: ModuleType) -> None:
    """The options of a command are those of the table, and have their defaults, if not typed.

    Words about reading the table and printing results are the commands' own.
    """
    parser = argparse.ArgumentParser(add_help=False)
    command.define(parser)
    reading = {"table", "read", "engine", "master", "json", "formats", "run", "verbose"}
    arguments = vars(parser.parse_args(["t.csv", "--domain", "d.json"]))
    assert arguments.keys() - OPTIONS.keys() <= reading
    for name in arguments.keys() - reading - {"domain"}:
        assert (
            plans.read_option(argparse.Namespace(**arguments), name) == OPTIONS[name].default
        )


def test_a_plan_file_has_the_options_in_their_order() -> None:
    """A plan is written with the options in the order of the table, and is read back the
    same.

    Options that are seldom used are written only if they are set.
    """
    content = BARE.to_json()
    assert list(content) == [option.name for option in IN_PLAN if not option.seldom]
    assert Plan.from_json(content) == BARE


def test_a_word_that_is_none_is_refused_with_those_there_are() -> None:
    """A value that an option does not have is refused, and the sentence lists
    those it has.
    """
    with pytest.raises(
        ArgumentError, match=r"^favour must be one of errors, associations, but"
    ):
        OPTIONS["favour"].from_call("rows")
