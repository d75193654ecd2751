"""How far off a public guess is, and what follows from it."""

import numpy as np

from synth.models.corrected_guess import is_worth_asking, least_off, presume_distances, set_aside
from synth.models.evidence import Evidence
from synth.models.public_guess import PublicGuess
from tests.models.doors import domain_of

SHAPE = (2, 2, 3)


def _evidence() -> Evidence:
    first = np.repeat(np.arange(2), 500).astype(np.int32)
    public = PublicGuess(SHAPE, {0: first, 1: first}, 1000)
    evidence = Evidence(domain_of(SHAPE), public=public)
    evidence.total, evidence.columns = 600.0, [np.full(size, 600 / size) for size in SHAPE]
    return evidence


def test_it_is_asked_unless_its_columns_alone_do_as_well() -> None:
    assert is_worth_asking(near=50, far=100, noise=0)
    assert not is_worth_asking(near=90, far=100, noise=0)
    assert is_worth_asking(near=70, far=100, noise=20)


def test_presumed_distances_have_the_mean_and_no_pair_goes_without() -> None:
    evidence = _evidence()
    presume_distances(evidence, 80.0)
    assert evidence.distances.keys() == {*evidence.pairs}
    assert evidence.distances[0, 1] == 80
    presume_distances(evidence, 0.0)
    assert evidence.public is not None
    assert evidence.distances[0, 1] == least_off(evidence.public, [(0, 1)], 600.0) / 2


def test_a_pair_that_it_gets_wrong_is_left_aside() -> None:
    evidence = _evidence()
    public = evidence.public
    assert public is not None
    evidence.distances = {(0, 1): 100.0, (0, 2): 900.0, (1, 2): 900.0}
    set_aside(evidence)
    assert not public.aside
    evidence.distances[0, 1] = 900.0
    set_aside(evidence)
    assert public.aside == {(0, 1)}
    assert np.array_equal(evidence.guess((0, 1)), evidence.product((0, 1)))
