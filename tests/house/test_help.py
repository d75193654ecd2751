"""What a notebook shows of Synth: completion lists public names, and help reads well."""

import inspect
import re

import pytest

import synth

FUNCTIONS = [name for name in synth.__all__ if inspect.isfunction(getattr(synth, name))]
CALLED = [name for name in synth.__all__ if name not in ("SynthError", "__version__")]
MAX_HINT = 70
"""Characters of a type hint that a reader takes in at a glance."""


FIRST = ["draft", "release", "verify", "analyse", "ask"]


def test_completion_lists_the_public_names_only() -> None:
    assert dir(synth) == sorted(synth.__all__)


def test_help_begins_with_what_a_reader_needs_first() -> None:
    """The help of the package and the list of its names begin with the same functions."""
    assert list(synth.__all__[:5]) == FIRST
    listed = re.findall(r"^- `(\w+)`", inspect.getdoc(synth) or "", re.M)
    assert listed == FIRST


@pytest.mark.parametrize("name", FUNCTIONS)
def test_help_says_what_it_does_and_ends_with_an_example(name: str) -> None:
    """The help of each public function begins with a sentence in the imperative and ends with
    an example.

    Examples of `synth` run as doctests; here only their place is checked.
    """
    text = inspect.getdoc(getattr(synth, name)) or ""
    first_line, last_paragraph = text.split("\n", 1)[0], text.rsplit("\n\n", 1)[-1]
    assert first_line.endswith(".")
    assert first_line[0].isupper()
    assert not first_line.split()[0].endswith("s"), "an imperative: Return, Draw, Check"
    assert last_paragraph.startswith(">>> ")


@pytest.mark.parametrize("name", CALLED)
def test_hints_are_short(name: str) -> None:
    """Each type hint of a public function or class has at most 70 characters."""
    parameters = inspect.signature(getattr(synth, name)).parameters
    hints = {
        key: inspect.formatannotation(parameter.annotation)
        for key, parameter in parameters.items()
    }
    assert {key: hint for key, hint in hints.items() if len(hint) > MAX_HINT} == {}
