"""A damaged ledger gives the very same numbers and balance as before, or refuses: never
others.

`make evidence` flips 2,000 bits and loses 200 rows (``SYNTH_DAMAGES``: the flips).
"""

import os
import re
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from synth.domain import Domain
from synth.door import Door
from synth.noise import DiscreteLaplace
from synth.privacy import ROW, Guarantee
from synth.private import queries
from synth.private.counting import Counts, ValueRows
from tests.conftest import Report
from tests.ledger.damage import (
    Answer,
    Recording,
    ask_again,
    flip_bit,
    list_ways_out,
    lose_row,
    make_ledger,
    record_doors,
)
from tests.ledger.ledgers import ADD, ledger_with_budget

FLIPS = int(os.environ.get("SYNTH_DAMAGES", "200"))
LOSSES = max(40, FLIPS // 10)

Made = tuple[Path, list[Recording]]


@pytest.fixture(scope="module")
def recorded_ledger(tmp_path_factory: pytest.TempPathFactory) -> Made:
    """A ledger of every kind of release, and what was released."""
    path = tmp_path_factory.mktemp("whole") / "ledger.db"
    return path, make_ledger(path)


def damage_copy(
    sound_path: Path, path: Path, damage: Callable[[Path, Random], None], seed: int
) -> Path:
    """A copy of a ledger with one damage."""
    path.write_bytes(sound_path.read_bytes())
    path.with_name("ledger.db.key").write_bytes(
        sound_path.with_name("ledger.db.key").read_bytes()
    )
    damage(path, Random(seed))
    return path


def flip_file(path: Path, random: Random) -> None:
    path.write_bytes(flip_bit(path.read_bytes(), random))


def check_outcome(answers: list[Answer], before: list[Answer], seed: int) -> str:
    """Check that a damaged ledger refuses in a sentence or answers as before; say which."""
    for given_answer, earlier in zip(answers, before, strict=False):
        refusal = given_answer.refusal
        if refusal:
            assert re.fullmatch(r"The ledger [^\n]+\.", refusal), (seed, refusal)
        else:
            assert given_answer == earlier, seed
    if any(given_answer.refusal for given_answer in answers):
        return "refused"
    return "answers as before"


def test_an_unharmed_ledger_answers_without_noise(recorded_ledger: Made) -> None:
    """Asked again, an unharmed ledger gives all stored values of five releases, and draws no
    noise.

    Each release has at least one value, and together they have more than 15. Drawing noise
    would fail.
    """
    path, releases = recorded_ledger

    assert len(releases) == 5
    assert min(len(release.calls) for release in releases) > 0
    parts = sum(len(release.calls) for release in releases)
    assert parts > 15, "marginals in parts, and answers"

    answers = ask_again(path, releases)
    for given_answer, release in zip(answers[:-1], releases, strict=True):
        assert given_answer.values.startswith(
            f"({[value for *_, value in release.calls]!r}, "
        )


def test_every_way_out_of_a_door_is_recorded_and_answers_again(path: Path) -> None:
    """Every method by which values leave the door is replayed from the ledger without noise.

    So the tests of damaged ledgers cover them all: a new method of `Door` would be missing in
    the list here.
    """
    domain = Domain(sex=["F", "M"])
    histogram_query = queries.histogram(
        Counts(domain=domain, cells=np.array([0, 1]), counts=np.array([40, 60]), rows=100),
        ADD,
    )
    value_rows = ValueRows(("north", "south"), np.array([30, 40]))
    texts = queries.listed_values("city", value_rows, ROW, neighbors=ADD)

    words: Any = {"dataset": "survey", "neighbors": ADD, "table": "t", "request": "r"}
    guarantee = Guarantee.approximate(3, Fraction(1, 1000))

    with (
        ledger_with_budget(path, "epsilon=9,delta=1e-2", neighbors=ADD) as ledger,
        record_doors() as releases,
    ):
        door = Door(ledger=ledger, guarantee=guarantee, purpose="all", **words)
        door.measure(histogram_query, mechanism=DiscreteLaplace(Fraction(4)))
        door.reduce_noise(histogram_query, DiscreteLaplace(Fraction(2)))
        door.choose(histogram_query, cost=Guarantee.pure(1))
        door.select(texts, Guarantee.approximate(1, Fraction(1, 1000)))
        door.seed()

    (release,) = releases
    ways = [name for name, *_ in release.calls]
    assert ways == ["measure", "reduce_noise", "choose", "select", "seed"]
    assert sorted(ways) == sorted(list_ways_out())

    again, _ = ask_again(path, releases)
    assert again.values.startswith(f"({[value for *_, value in release.calls]!r}, ")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("damage", "times"),
    [(flip_file, FLIPS), (lose_row, LOSSES)],
    ids=["flipped bits", "lost rows"],
)
def test_a_damaged_ledger_refuses_or_answers_as_before(
    recorded_ledger: Made,
    path: Path,
    damage: Callable[[Path, Random], None],
    times: int,
    report: Report,
) -> None:
    """A ledger with a flipped bit or a lost row gives the same values as before, or refuses.

    It never gives others. Both outcomes are seen in at least a twentieth of the cases.
    """
    sound_path, releases = recorded_ledger
    before = ask_again(sound_path, releases)

    outcomes = Counter[str]()
    for seed in range(times):
        answers = ask_again(damage_copy(sound_path, path, damage, seed), releases)
        outcomes[check_outcome(answers, before, seed)] += 1

    assert min(outcomes["refused"], outcomes["answers as before"]) > times / 20, (
        "both are seen"
    )
    report(f"{times} {damage.__name__}: {dict(outcomes)}")
