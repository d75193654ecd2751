"""Both spellings of neighbours and favour are one argument of Python."""

import inspect
from collections.abc import Callable, Mapping

import pytest

import synth
from synth.errors import ArgumentError
from synth.util import SPELLINGS
from tests.api.people import DOMAIN, FRAME

CALLS: Mapping[str, Callable[..., object]] = {
    "release": lambda **words: synth.release(FRAME, DOMAIN, epsilon=1, **words),
    "forecast": lambda **words: synth.forecast(DOMAIN, 1, rows=100, **words),
    "check": lambda **words: synth.check(FRAME, DOMAIN, 1, **words),
    "ask": lambda **words: synth.ask(FRAME, DOMAIN, "count", 1, **words),
    "draft": lambda **words: synth.draft(FRAME, 1, **words),
    "Synthesizer": lambda **words: synth.Synthesizer(DOMAIN, 1, **words),
}
"""Functions of Python that take neighbours."""


@pytest.mark.parametrize("name", CALLS)
def test_a_wrong_word_is_refused_in_either_spelling(name: str) -> None:
    for spelling in ("neighbors", "neighbours"):
        with pytest.raises(synth.SynthError, match="must be one of replace-one, add-remove"):
            CALLS[name](**{spelling: "bounded"})


@pytest.mark.parametrize("name", CALLS)
def test_both_spellings_are_one_argument_too_many(name: str) -> None:
    """Also where both have the same value, and where one of them is the default."""
    with pytest.raises(ArgumentError, match="one argument in two spellings"):
        CALLS[name](neighbors="replace-one", neighbours="add-remove")


def test_both_spellings_mean_the_same() -> None:
    plan = synth.forecast(DOMAIN, 1, rows=100, neighbours="add-remove").plan
    assert plan == synth.forecast(DOMAIN, 1, rows=100, neighbors="add-remove").plan
    made = synth.release(FRAME, DOMAIN, epsilon=1, method="one-shot", favor="associations")
    assert made.result.plan.favour == "associations"


def test_a_synthesizer_has_each_argument_in_one_spelling() -> None:
    """As in scikit-learn, a copy is made of the parameters."""
    model = synth.Synthesizer(DOMAIN, 1, neighbours="add-remove", favor="associations")
    arguments = model.get_params()
    assert (arguments["neighbors"], arguments["favour"]) == ("add-remove", "associations")
    assert SPELLINGS.keys().isdisjoint(arguments)
    assert synth.Synthesizer(**arguments).get_params() == arguments
    assert model.set_params(neighbours="replace-one").neighbors == "replace-one"
    with pytest.raises(ArgumentError, match="one argument in two spellings"):
        model.set_params(favor="errors", favour="errors")


def test_each_function_takes_both_spellings() -> None:
    """A public function with one spelling of an argument has the other, too."""
    for name in synth.__all__:
        function = getattr(synth, name)
        if not inspect.isfunction(function):
            continue
        parameters = inspect.signature(function).parameters
        for other, spelling in SPELLINGS.items():
            assert (other in parameters) == (spelling in parameters), name
