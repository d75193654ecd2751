"""Layers 9, 11 and 12: what releases recall, tables told apart, charges that cover what is
spent.

They are quick, and part of every run; `test_path_mutants` says what they catch.
"""

from collections.abc import Callable

import pytest

from tests.audit import path

LAYERS = (
    path.marking,
    path.requesting,
    path.placing,
    path.covering,
    path.meeting,
    path.checking,
    path.recalling,
)


@pytest.mark.parametrize("layer", LAYERS, ids=lambda layer: layer.__name__)
def test_a_quick_layer_finds_nothing_broken(layer: Callable[[], str]) -> None:
    """Each quick layer of the audit finds no fault in the code as it is.

    A layer returns the first fault as text, and an empty text if there is none.
    """
    assert layer() == ""
