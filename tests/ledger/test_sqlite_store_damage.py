"""A damaged ledger gives the very same numbers and balance as before, or refuses: never others.

`make evidence` flips 2,000 bits and loses 200 rows (``SYNTH_DAMAGES``: the flips).
"""

import os
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from tests.conftest import Report
from tests.ledger.damage import Answer, Recording, answer, flip, lose, make

FLIPS = int(os.environ.get("SYNTH_DAMAGES", "200"))
LOSSES = max(40, FLIPS // 10)

Made = tuple[Path, list[Recording]]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    """A ledger of every kind of release, and what was released."""
    path = tmp_path_factory.mktemp("whole") / "ledger.db"
    return path, make(path)


def damaged(whole: Path, path: Path, damage: Callable[[Path, Random], None], seed: int) -> Path:
    """A copy of a ledger with one damage."""
    path.write_bytes(whole.read_bytes())
    path.with_name("ledger.db.key").write_bytes(whole.with_name("ledger.db.key").read_bytes())
    damage(path, Random(seed))
    return path


def flip_file(path: Path, random: Random) -> None:
    path.write_bytes(flip(path.read_bytes(), random))


def told(given: list[Answer], before: list[Answer], seed: int) -> str:
    """What became of a damaged ledger, where that is right."""
    for one, other in zip(given, before, strict=False):
        if one.refusal:
            assert re.fullmatch(r"The ledger [^\n]+\.", one.refusal), (seed, one.refusal)
        else:
            assert one == other, seed
    return "refused" if any(one.refusal for one in given) else "answers as before"


def test_an_unharmed_ledger_answers_without_noise(made: Made) -> None:
    path, releases = made
    assert len(releases) == 5
    assert min(len(release.calls) for release in releases) > 0
    parts = sum(len(release.calls) for release in releases)
    assert parts > 15, "marginals in parts, and answers"
    given = answer(path, releases)
    for one, release in zip(given[:-1], releases, strict=True):
        assert one.values.startswith(f"({[value for *_, value in release.calls]!r}, ")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("damage", "times"), [(flip_file, FLIPS), (lose, LOSSES)], ids=["flipped bits", "lost rows"]
)
def test_a_damaged_ledger_refuses_or_answers_as_before(
    made: Made,
    path: Path,
    damage: Callable[[Path, Random], None],
    times: int,
    report: Report,
) -> None:
    whole, releases = made
    before, found = answer(whole, releases), Counter[str]()
    for seed in range(times):
        given = answer(damaged(whole, path, damage, seed), releases)
        found[told(given, before, seed)] += 1
    assert min(found["refused"], found["answers as before"]) > times / 20, "both are seen"
    report(f"{times} {damage.__name__}: {dict(found)}")
