"""Which public table was the guess, who vouches for it, and what the guarantee leaves out."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from synth.errors import ArgumentError
from synth.estimate import PublicGuess, PublicSource, PublicTable, check_named
from synth.privacy import Neighbors
from tests.models.doors import make_domain

SOURCE = PublicSource(
    digest="a" * 64, vouched_by=" Statistics \n Office ", columns=("age", "sex"), rows=7244
)
TABLE = PublicTable(
    source=SOURCE,
    guess=PublicGuess((2,), {0: np.zeros(1, dtype=np.int32)}, 1),
    domain=make_domain((2,)),
)


def test_the_caveat_names_digest_columns_and_who_vouches() -> None:
    """The caveat of a release around a public table names the table's rows, columns and
    digest, who vouches that it is public, and what the guarantee leaves out.

    `SOURCE` is vouched for by " Statistics \n Office ", whose spaces are put right.
    """
    caveat = SOURCE.caveat(Fraction(1), Fraction(0), Neighbors.ADD_REMOVE)
    assert "7,244 rows of 'age', 'sex', coded rows of SHA-256 " + "a" * 64 in caveat
    assert "Statistics Office vouches that it is public." in caveat
    assert caveat.endswith("covers nothing that the public table reveals by itself.")


def test_a_synthetic_release_adds_its_epsilon() -> None:
    """If the public table is itself a private release, the caveat adds both costs, and JSON
    keeps them.

    Epsilon 1/2 of that release and 1 of this one add up to 1.5.
    """
    cost = {"epsilon": Fraction(1, 2), "delta": Fraction(1, 10**9), "relation": "replace-one"}
    paid = replace(SOURCE, **cost)  # type: ignore[arg-type]
    caveat = paid.caveat(Fraction(1), Fraction(0), Neighbors.REPLACE_ONE)
    assert "a synthetic release of epsilon 0.5" in caveat
    assert "add up to epsilon 1.5 and delta 1e-09 (replace-one)." in caveat
    assert PublicSource.from_json(paid.to_json()) == paid
    assert PublicSource.from_json(SOURCE.to_json()) == SOURCE


def test_a_release_with_other_neighbours_costs_more_than_the_sum() -> None:
    """Costs of two releases add up only if both protect the same neighbours; otherwise the
    caveat says that the two cost more than their sum.

    The earlier release, of epsilon 1/2, protects add-remove neighbours of single rows.
    """
    paid = replace(SOURCE, epsilon=Fraction(1, 2), relation="add-remove")
    caveat_of_the_same = paid.caveat(Fraction(1), Fraction(0), Neighbors.ADD_REMOVE)
    assert "add up to epsilon 1.5 (add-remove)." in caveat_of_the_same

    for relation, by_person in (("replace-one", False), ("add-remove of persons", True)):
        caveat = paid.caveat(
            Fraction(1), Fraction(0), Neighbors(relation.split()[0]), by_person=by_person
        )
        assert f"other neighbours ({relation})" in caveat
        assert caveat.endswith("the two cost more than their sum, epsilon 1.5.")
    assert PublicSource.from_json(paid.to_json()) == paid


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"vouched_by": " "}, "Who vouches that the public table is public"),
        ({"vouched_by": "x" * 201}, "more than 200 characters"),
        ({"digest": "no"}, "no plan of Synth"),
        ({"columns": ()}, "no plan of Synth"),
    ],
)
def test_what_cannot_be_is_refused(changed: dict[str, object], message: str) -> None:
    """A public table needs somebody who vouches for it, in 200 characters, a SHA-256 and
    columns.
    """
    with pytest.raises(ArgumentError, match=message):
        replace(SOURCE, **changed)  # type: ignore[arg-type]


def test_the_table_at_hand_must_be_the_one_that_is_named() -> None:
    """A public table is accepted only if its digest is the one in the plan; a plan without
    one needs no table.
    """
    check_named(None, None)
    check_named(SOURCE, TABLE)
    with pytest.raises(ArgumentError, match="hand it over by --public FILE"):
        check_named(SOURCE, None)
    with pytest.raises(ArgumentError, match="does not have the digest in the plan"):
        check_named(replace(SOURCE, digest="b" * 64), TABLE)
