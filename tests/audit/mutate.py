"""Mutants: one function of the product with one text of it replaced, for the time of a
block.
"""

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


def edited(function: Any, old: str, new: str) -> Any:
    """A function, method or property with one text replaced.

    Raises:
        AssertionError: The text is not there just once; then the mutant is to be rewritten.
    """
    inner = (
        function.__func__ if isinstance(function, classmethod | staticmethod) else function
    )
    inner = inner.fget if isinstance(inner, property) else inner
    inner = inner.func if isinstance(inner, cached_property) else inner
    inner = inspect.unwrap(inner)
    text = textwrap.dedent(inspect.getsource(inner))
    assert text.count(old) == 1, f"{inner.__qualname__} does not hold {old!r} just once"
    made: dict[str, Any] = {}
    exec(
        compile(text.replace(old, new), inspect.getfile(inner), "exec"),
        inner.__globals__,
        made,
    )
    found = made[inner.__name__]
    if isinstance(found, cached_property):
        found.__set_name__(object, inner.__name__)
    return found


@contextmanager
def mutated(owner: Any, name: str, old: str, new: str) -> Iterator[None]:
    """Put an edited function in the place of the right one."""
    with patch.object(owner, name, edited(inspect.getattr_static(owner, name), old, new)):
        yield


def catch(name: str, layer: str, sees: Callable[[], bool], report: Report) -> None:
    """Count a mutant that was tried, and that it was caught by a layer."""
    tally.add("mutants", tried=1)
    try:
        seen = sees()
    except (ValueError, Exhausted):
        seen = True  # not even a value comes out, or it asks for more bits than its law needs
    assert seen, f"{name} is not seen by layer {layer}"
    tally.add("mutants", caught=1)
    report(f"{name:60} caught by layer {layer}")
