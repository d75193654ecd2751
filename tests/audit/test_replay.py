"""Layer 5: the whole pipeline on neighbours, its noise frozen: only the noise may tell them
apart.

With the outputs of the mechanism and the generator behind the door held fixed, every byte
that leaves must be equal; what goes into the mechanism may differ by the declared
sensitivity; and the spends add up to epsilon."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from synth.bundle import Result
from synth.domain import Categorical, Domain, Integer, Outside
from synth.door import Door, Query, door
from synth.door.parts import Part, StoredParts
from synth.errors import ReleaseError
from synth.estimate import Repair
from synth.noise import DiscreteLaplace
from synth.plans import Plan
from synth.privacy import Guarantee, Neighbors, terms
from synth.private.counting import Counts
from synth.rows import draw
from synth.spending import synthesize
from tests.audit.mutate import catch
from tests.bundle.bundles import FILES
from tests.conftest import Report
from tests.models.doors import open_door
from tests.tables import write, write_plain

DOMAIN = Domain(
    (
        Categorical(name="sex", categories=("F", "M"), missing=True),
        Integer(name="age", minimum=0, maximum=99, bins=5, outside=Outside.CELL),
    )
)
ROWS = [["F", "10"], ["M", "50"], ["M", "51"], ["F", "99"], ["", "12"]]
STRANGERS = [["X", "10"], ["M", "-1e9"], ["F", "nan"], ["F", ""], ["zzz-secret", "abc"]]


@dataclass
class Frozen:
    """Stands in for the mechanism: keeps its inputs, gives the same outputs every time."""

    inputs: list[np.ndarray] = field(default_factory=list)
    spends: list[Fraction] = field(default_factory=list)

    def release(self, values: np.ndarray) -> np.ndarray:
        self.inputs.append(values.copy())
        return np.random.default_rng(0).integers(-3, 9, values.shape)


@pytest.fixture
def frozen(monkeypatch: pytest.MonkeyPatch) -> Frozen:
    mechanism = Frozen()
    fresh = np.random.default_rng
    monkeypatch.setattr(
        DiscreteLaplace, "release", lambda _, values: mechanism.release(values)
    )
    monkeypatch.setattr(draw.np.random, "default_rng", lambda *_: fresh(1))
    monkeypatch.setattr(Door, "seed", lambda _: 1)
    draw_part = StoredParts.draw

    def draw_and_record(store: StoredParts, number: int, *arguments: Any) -> Part:
        part = draw_part(store, number, *arguments)
        assert part.cost.epsilon is not None
        mechanism.spends.append(part.cost.epsilon)
        return part

    monkeypatch.setattr(StoredParts, "draw", draw_and_record)
    return mechanism


def release_table(
    directory: Path, rows: list[list[str]], neighbors: Neighbors, method: Repair
) -> Result:
    directory.mkdir(exist_ok=True)
    source = write(directory / "table.csv", ["sex", "age"], rows)
    plan = Plan(domain=DOMAIN, epsilon=Fraction(1, 3), neighbors=neighbors, repair=method)
    return synthesize(plan, source)


def read_released_files(directory: Path, result: Result) -> dict[str, Any]:
    """Every byte that leaves, without the time of day and hashes of it."""
    paths = write_plain(result, directory / "out")
    files: dict[str, Any] = {name: path.read_bytes() for name, path in paths.items()}
    for name, content in files.items():
        if b'"created"' in content:
            certificate = json.loads(content)
            certificate.pop("created")
            files[name] = certificate
    return files


def neighbours_of(neighbors: Neighbors) -> list[list[list[str]]]:
    if neighbors is Neighbors.ADD_REMOVE:
        return [ROWS[:2] + ROWS[3:], *([*ROWS, row] for row in STRANGERS)]
    return [[*ROWS[:2], row, *ROWS[3:]] for row in [["F", "0"], *STRANGERS]]


@pytest.mark.slow
@pytest.mark.parametrize("neighbors", list(Neighbors))
@pytest.mark.parametrize("method", [Repair.AUTO, Repair.NONE, Repair.CLAMP])
def test_only_the_noise_tells_neighbours_apart(
    neighbors: Neighbors, method: Repair, frozen: Frozen, tmp_path: Path
) -> None:
    """With frozen noise, every file of a release is the same for neighbouring tables, byte by
    byte. Support, order, types, metadata and the number of rows show nothing (threats T4, T5,
    T6, T15, T16). The exact counts move by the sensitivity at most, which is reached, and
    each release costs epsilon 1/3.
    """
    base = read_released_files(
        tmp_path / "base", release_table(tmp_path / "base", ROWS, neighbors, method)
    )

    for number, rows in enumerate(neighbours_of(neighbors)):
        directory = tmp_path / str(number)
        leaving = read_released_files(
            directory, release_table(directory, rows, neighbors, method)
        )
        assert leaving == base
        assert "secret" not in repr(leaving)

    first = frozen.inputs[0]
    moved = [int(np.abs(values - first).sum()) for values in frozen.inputs[1:]]
    assert max(moved) == neighbors.sensitivity
    assert frozen.spends == [Fraction(1, 3)] * len(frozen.inputs)


def _exact_rows(counts: Counts, _: Neighbors) -> int:
    return counts.rows


def _every_row_twice(counts: Counts) -> np.ndarray:
    values = np.zeros(counts.domain.size, np.int64)
    values[counts.cells] = 2 * counts.counts
    return values


def _cells_from_the_data(
    draw_answer: Callable[..., Any], query: Query, *arguments: Any, **named: Any
) -> Any:
    arrays = draw_answer(query, *arguments, **named)
    arrays["values"][query.values() == 0] = 0
    return arrays


@pytest.mark.mutant
@pytest.mark.parametrize(
    ("name", "neighbors", "place", "change"),
    [
        ("exact n in the output", Neighbors.ADD_REMOVE, (Counts, "public_rows"), _exact_rows),
        (
            "every row counted twice",
            Neighbors.REPLACE_ONE,
            (Counts, "dense"),
            _every_row_twice,
        ),
        (
            "empty cells without noise",
            Neighbors.REPLACE_ONE,
            (door, "_draw_answer"),
            partial(_cells_from_the_data, door._draw_answer),
        ),
    ],
)
def test_a_leak_beside_the_noise_is_caught(
    name: str,
    neighbors: Neighbors,
    place: tuple[Any, str],
    change: Any,
    frozen: Frozen,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    report: Report,
) -> None:
    """Each of these mistakes in one function is seen as a leak between neighbours.

    Either the released files differ although the noise is the same, or exact counts move by
    more than the sensitivity.
    """
    monkeypatch.setattr(*place, change)

    outputs = []
    for number, rows in enumerate([ROWS, *neighbours_of(neighbors)]):
        directory = tmp_path / str(number)
        outputs.append(
            read_released_files(
                directory, release_table(directory, rows, neighbors, Repair.CLAMP)
            )
        )

    moved = max(int(np.abs(values - frozen.inputs[0]).sum()) for values in frozen.inputs)
    is_seen = any(output != outputs[0] for output in outputs) or moved > neighbors.sensitivity
    catch(name, "5 record and replay", lambda: is_seen, report)


def test_every_row_is_counted_once_whatever_it_holds(frozen: Frozen, tmp_path: Path) -> None:
    """Every row counts as one in one cell, whatever it holds (threats T6, T11).

    One more number is among the inputs of the noise: it counts rows that the rules drop.
    """
    release_table(tmp_path, [*ROWS, *STRANGERS], Neighbors.REPLACE_ONE, Repair.CLAMP)
    assert int(frozen.inputs[0].sum()) == len(ROWS) + len(STRANGERS)
    assert frozen.inputs[0].size == DOMAIN.size + 1


def test_the_door_lets_out_no_more_than_was_charged() -> None:
    """The door counts costs as exact fractions, so nothing is left after three thirds of
    epsilon (threat T9). Even 10^-30 more is refused.
    """
    store = StoredParts(None, open_door(Guarantee.pure(1)).entry)
    for number in range(3):
        store.draw(number, {"cost": terms(Guarantee.pure(Fraction(1, 3)))}, dict)

    with pytest.raises(ReleaseError, match="more than is left of epsilon = 1"):
        store.draw(3, {"cost": terms(Guarantee.pure(Fraction(1, 10**30)))}, dict)


def test_a_folder_holds_the_public_files_of_the_bundle(tmp_path: Path) -> None:
    """The folder of a release holds only the public files of a bundle (threat T18).

    No comparison of real and synthetic rows is among them.
    """
    result = release_table(tmp_path, ROWS, Neighbors.REPLACE_ONE, Repair.AUTO)
    names = {path.name for path in result.write(tmp_path / "out").values()}
    assert names == FILES
