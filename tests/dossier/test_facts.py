"""Facts: values of a certificate by their place, as sheets show them."""

from collections.abc import Callable
from dataclasses import fields
from fractions import Fraction
from typing import Any

import pytest

from synth.bundle.typed_json import hints
from synth.dossier import Dossier
from synth.dossier.facts import EXACT, show
from synth.noise import MECHANISMS


@pytest.mark.parametrize(
    ("value", "name", "shown"),
    [
        ("1/2", "column", "1/2"),
        ("1/2", "epsilon", "0.5"),
        ("1/1000000000", "delta", "1e-09"),
        ("2/3", "scale", "2/3"),
        ("475330581/655360000", "epsilon", "about 0.7253 (rounded up)"),
        ("340282366920938463463374607431768211455", "seed", None),
        (True, "looked", "yes"),
        (None, "rows", "not public"),
        (32561, "rows", "32,561"),
        (0.123456, "error", "0.123"),
        ({"mu_squared": "1/4"}, "cost", "mu^2 0.25"),
        (["a", "b"], "columns", "a; b"),
    ],
)
def test_values_are_shown_as_people_write_them(
    value: Any, name: str, shown: str | None
) -> None:
    """Only fields with exact numbers are read as numbers: a column may be called 1/2."""
    assert show(value, name) == (value if shown is None else shown)


def test_every_exact_number_of_a_mechanism_is_shown_as_one() -> None:
    """A parameter of noise that certificates write as a fraction has no thirty digits."""
    for find_class in MECHANISMS.values():
        kind = find_class()
        exact = {part.name for part in fields(kind) if hints(kind)[part.name] is Fraction}
        assert exact <= EXACT


def test_a_place_that_is_not_there_has_no_fact(
    dossier_of: Callable[[str], Dossier],
) -> None:
    facts = dossier_of("model").facts
    assert not facts.has("nothing.there")
    assert list(facts.each("nothing.there")) == []
    with pytest.raises(KeyError):
        facts.at("error_bars.99.expected")
    assert facts.at("mechanism.marginals.0.cost.epsilon").text == "0.48"


def test_a_name_with_a_point_is_one_step(dossier_of: Callable[[str], Dossier]) -> None:
    """The digest of a file is found by the file's name, which has a point."""
    facts = dossier_of("model").facts
    digests = {place: facts.at(place).text for place in facts.each("sha256")}
    assert set(digests.values()) == set(facts.certificate.sha256.values())
