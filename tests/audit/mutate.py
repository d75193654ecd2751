"""Mutants: one function of the product with one text of it replaced, for the time of a
block.
"""

import __future__

import inspect
import textwrap
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cached_property
from typing import Any
from unittest.mock import patch

from tests.audit import tally
from tests.audit.exact import Exhausted
from tests.conftest import Report


def characters(text: str) -> list[int]:
    """Return the places of the characters of a text that a formatter leaves alone.

    A formatter chooses line breaks, spaces, and the commas before a closing bracket.
    """
    places: list[int] = []
    for place, character in enumerate(text):
        if character.isspace():
            continue
        if character in ")]}" and places and text[places[-1]] == ",":
            places.pop()
        places.append(place)
    return places


def replace_code(text: str, old: str, new: str, name: str) -> str:
    """Replace one piece of code, however its lines are broken.

    Raises:
        AssertionError: The piece is not there just once; then the mutant is to be rewritten.
    """
    places = characters(text)
    squeezed = "".join(text[place] for place in places)
    wanted_code = "".join(old[place] for place in characters(old)).removesuffix(",")
    assert squeezed.count(wanted_code) == 1, f"{name} does not hold {old!r} just once"
    start = squeezed.index(wanted_code)
    before, after = text[: places[start]], text[places[start + len(wanted_code) - 1] + 1 :]
    if old.rstrip().endswith(","):
        after = after.removeprefix(",")
    return before + new.strip() + after


def edited(function: Any, old: str, new: str) -> Any:
    """A function, method or property with one piece of its code replaced.

    Raises:
        AssertionError: The piece is not there just once; then the mutant is to be rewritten.
    """
    inner = (
        function.__func__ if isinstance(function, classmethod | staticmethod) else function
    )
    inner = inner.fget if isinstance(inner, property) else inner
    inner = inner.func if isinstance(inner, cached_property) else inner
    inner = inspect.unwrap(inner)
    text = textwrap.dedent(inspect.getsource(inner))
    namespace: dict[str, Any] = {}
    code = compile(
        replace_code(text, old, new, inner.__qualname__),
        inspect.getfile(inner),
        "exec",
        # Its annotations stay texts where those of its module do.
        flags=inner.__code__.co_flags & __future__.annotations.compiler_flag,
    )
    exec(code, inner.__globals__, namespace)
    edited_function = namespace[inner.__name__]
    if isinstance(edited_function, cached_property):
        edited_function.__set_name__(object, inner.__name__)
    return edited_function


@contextmanager
def mutated(owner: Any, name: str, old: str, new: str) -> Iterator[None]:
    """Put an edited function in the place of the right one."""
    with patch.object(owner, name, edited(inspect.getattr_static(owner, name), old, new)):
        yield


def catch(name: str, layer: str, sees: Callable[[], bool], report: Report) -> None:
    """Count a mutant that was tried, and that it was caught by a layer."""
    tally.add("mutants", tried=1)
    try:
        is_seen = sees()
    except (ValueError, Exhausted):
        is_seen = (
            True  # not even a value comes out, or it asks for more bits than its law needs
        )
    assert is_seen, f"{name} is not seen by layer {layer}"
    tally.add("mutants", caught=1)
    report(f"{name:60} caught by layer {layer}")
