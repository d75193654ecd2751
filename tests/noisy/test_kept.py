"""Which relations a release keeps, and how well."""

import math
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
import pytest

from synth.domain import Categorical, Domain
from synth.estimate import (
    MAX_SHOWN_RELATIONS,
    Light,
    Record,
    Relation,
    relations,
    worst_relations,
)
from synth.estimate.noisy import kept
from synth.plans import Method, Plan
from synth.spending import synthesize


def test_lights_have_a_sign_and_a_word_each() -> None:
    """A relation's light depends on its error: green up to 0.05, yellow up to 0.15, else red.

    An unknown error is red too. Each light has its own sign and word.
    """
    assert [Light.from_error(error) for error in (0.05, 0.1, 0.2, math.nan)] == [
        Light.GREEN,
        Light.YELLOW,
        Light.RED,
        Light.RED,
    ]
    assert len({light.sign for light in Light}) == len({light.says for light in Light}) == 4


def test_a_relation_that_was_not_measured_is_never_called_good() -> None:
    """Its error bar is the model's own, however small."""
    guessed = Relation(("a", "b"), measured=False, error=0.001)
    assert (guessed.light, guessed.light.says) == (Light.UNMEASURED, "not measured")
    assert Relation(("a", "b"), measured=True, error=0.001).light is Light.GREEN


def make_record(
    columns: int, method: Method, groups: tuple[tuple[str, ...], ...] = ()
) -> Record:
    """The record of a release of 500 random rows of two-valued columns at epsilon 4."""
    names = [f"c{number}" for number in range(columns)]
    domain = Domain(tuple(Categorical(name=name, categories=("a", "b")) for name in names))
    codes = np.random.default_rng(3).integers(0, 2, (columns, 500))
    frame = pd.DataFrame(
        {
            name: np.array(["a", "b"])[codes_of_column]
            for name, codes_of_column in zip(names, codes, strict=True)
        }
    )
    return synthesize(
        Plan(domain=domain, epsilon=Fraction(4), method=method, groups=groups), frame
    ).record


@pytest.mark.slow
def test_relations_of_many_columns_take_time_in_proportion(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Errors of relations are computed only where something was measured.

    Of 120 columns, measured one by one, there are 280,840 triples, none of which is shown or
    computed. The 7,140 pairs have no error. The 120 single columns take at most two
    computations each.
    """
    record = make_record(120, Method.INDEPENDENT)
    calls: list[tuple[Any, ...]] = []
    compute_error = kept._error

    def count_calls(*arguments: Any) -> Any:
        """Note the call, and compute the error as usual."""
        calls.append(arguments)
        return compute_error(*arguments)

    monkeypatch.setattr(kept, "_error", count_calls)

    assert relations(record, 3) == ()
    assert not calls

    pairs = relations(record, 2)
    assert (len(pairs), calls) == (120 * 119 // 2, [])
    assert all(math.isnan(pair.error) and not pair.measured for pair in pairs)

    assert len(relations(record, 1)) == 120
    assert len(calls) <= 2 * 120


@pytest.mark.parametrize("method", [Method.INDEPENDENT, Method.TREE, Method.DENSE])
def test_the_worst_relations_are_the_first_of_all(method: Method) -> None:
    """The worst relations are the first ones of the whole list, whose length comes along.

    Of 13 columns there are 78 pairs. A tree measures 12 of them, a histogram of 8 columns
    all 28, and columns measured one by one none. No triple was measured but by the
    histogram.
    """
    record = make_record(8 if method is Method.DENSE else 13, method)
    for width in (1, 2, 3):
        every = relations(record, width)
        worst, count = worst_relations(record, width)
        assert count == len(every)
        assert [(one.names, one.measured) for one in worst] == [
            (one.names, one.measured) for one in every[:MAX_SHOWN_RELATIONS]
        ]


def test_the_worst_of_many_pairs_are_found_without_listing_all(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Of the 7,140 pairs of 120 columns, no more are made than are shown."""
    record = make_record(120, Method.INDEPENDENT)
    made: list[tuple[str, ...]] = []

    def note(names: tuple[str, ...], measured: bool, error: float) -> kept.Relation:
        made.append(names)
        return relation(names, measured, error)

    relation = kept.Relation
    monkeypatch.setattr(kept, "Relation", note)
    worst, count = worst_relations(record, 2)
    assert len(worst) == len(made) == MAX_SHOWN_RELATIONS
    assert count == 120 * 119 // 2


def test_columns_of_one_histogram_are_related_in_all_ways() -> None:
    """All pairs and triples of the columns of one histogram count as measured, with their
    error.

    A cell of a pair is the sum of 4 of the 16 counts of its histogram. So its noise has 4
    times their variance v, and is sqrt(2 * 4 v / pi) on average. The error of the pair is
    half of the sum over its 4 cells, as a share of the rows. A histogram of all 4 columns has
    4 columns, 6 pairs and 4 triples.
    """
    record = make_record(5, Method.GROUPS, (("c0", "c1", "c2", "c3"), ("c4",)))
    triples = {relation.names for relation in relations(record, 3) if relation.measured}
    assert triples == set(combinations(("c0", "c1", "c2", "c3"), 3))

    relations_by_names = {relation.names: relation for relation in relations(record, 2)}
    assert {
        names for names, relation in relations_by_names.items() if relation.measured
    } == set(combinations(("c0", "c1", "c2", "c3"), 2))

    (clique, histogram), *_ = [
        relation for relation in record.measured if len(relation[0]) == 4
    ]
    assert clique == (0, 1, 2, 3)

    noise = math.sqrt(2 * 4 * histogram.mechanism.variance / math.pi)
    expected_error = 4 * noise / 2 / record.total
    assert relations_by_names["c0", "c2"].error == pytest.approx(expected_error)

    record_of_histogram = make_record(4, Method.DENSE)
    assert [len(relations(record_of_histogram, width)) for width in (1, 2, 3)] == [4, 6, 4]
