"""Layer 10: sums of squares and products, of all rows that a small domain has."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from fractions import Fraction
from itertools import product
from random import Random
from typing import Any

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from synth.domain import Categorical, Domain, Integer, Number, Outside, Steps
from synth.errors import SynthError
from synth.privacy import ROW, Guarantee, Neighbors, Unit
from synth.questions import KINDS, Block, Inquiry, Joint, Question, Way, moment_ways
from synth.questions.moments.corners import Box
from synth.questions.moments.spans import Span
from synth.util import Ints
from tests.audit.path.inquiries import and_damaged, checked, farthest, within
from tests.questions.moments.test_corners import addends
from tests.questions.plain import read_cell
from tests.questions.points import NEITHER, texts_of, vectors
from tests.questions.survey import PERSON, some_condition

PRODUCTS = Domain(
    (
        Categorical(name="sex", categories=("F", "M")),
        Integer(name="age", minimum=0, maximum=4, bins=2),
        Integer(name="hours", minimum=-4, maximum=4, bins=3, missing=True, spikes=(-9,)),
        Number(name="weight", minimum=0, maximum="2.5", bins=3),
        Number(name="income", minimum=-1, maximum=3, bins=3, outside=Outside.DROP),
    ),
    ("", "NA"),
)
NUMBERS = PRODUCTS.names[1:]
WHOLE = ("age", "weight")
CLAIMS = (
    Guarantee.pure(1),
    Guarantee.zcdp(Fraction(1, 8)),
    Guarantee(epsilon=Fraction(1), delta=Fraction(1, 10**6)),
)
PEOPLE = Unit(PERSON, 3)
POINTS = 1_200
FINEST = (3, 4, 6, 8)
"""Steps to one side: mostly fewer than there are whole numbers, some halfway between two
steps.
"""
SHIFTS = (0, 0, 1 / 4, 1 / 2)
"""How far step 0 is from the middle of a range, in steps: then lists of steps are uneven."""


def multiplying(start: int = 0, number_of_inquiries: int = 30) -> str:
    """Sums of products move by no more than is declared, and as far where that is called
    exact.
    """
    seeds = range(start, start + number_of_inquiries)
    return next(
        filter(None, (look(seed) for seed in seeds for look in (_listed, _multiplied))), ""
    )


def multiplied_moves(
    neighbors: Neighbors, unit: Unit, number_of_questions: int = 40
) -> list[tuple[Joint, tuple[int, ...]]]:
    """What is declared of random questions, and the farthest of all neighbours."""
    moves = []
    for seed in range(number_of_questions):
        random = Random(seed)
        with _rounded(random):
            inquiry = _asked(random, neighbors, unit)
            (portion,) = inquiry.arrangement.portions
            points, is_all = _points(portion.block, portion.way, random)
            assert portion.way.joint is not None
            if is_all:
                rows = and_damaged(vectors(portion.block, portion.way, points))
                moves.append((portion.way.joint, farthest(rows, portion.block)))
    return moves


@contextmanager
def _rounded(random: Random) -> Iterator[None]:
    """Few steps, not always as many to either side of the values of a column."""
    steps, shift = Span.steps, random.choice(SHIFTS)

    def shifted(span: Span, wanted_steps: int) -> Steps:
        chosen_steps = steps(span, wanted_steps)
        return replace(chosen_steps, middle=chosen_steps.middle + shift * chosen_steps.grid)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(moment_ways, "MAX_MOMENT_STEPS", random.choice(FINEST))
        patch.setattr(Span, "steps", shifted)
        yield


def _asked(random: Random, neighbors: Neighbors, unit: Unit) -> Inquiry:
    """A random question that the limits let through."""
    kinds = [kind for kind in KINDS.values() if kind.adds_products and not kind.not_asked]
    while True:
        kind = random.choice(kinds)
        least_columns, most_columns = kind.columns
        has_all_rows = random.random() < 0.3  # every row has a place in the sums
        columns = WHOLE if has_all_rows else NUMBERS
        names = tuple(
            random.sample(
                columns, random.randint(least_columns, min(most_columns, len(columns), 3))
            )
        )
        by = (
            ("sex",)
            if "by" in kind.takes and not has_all_rows and random.random() < 0.4
            else ()
        )
        with suppress(SynthError):
            where = (
                some_condition(random, PRODUCTS, 1)
                if not has_all_rows and random.random() < 0.4
                else None
            )
            question = Question(kind=kind, columns=names, by=by, where=where)
            inquiry = Inquiry.read(
                [question], PRODUCTS, random.choice(CLAIMS), neighbors=neighbors, unit=unit
            )
            assert inquiry.arrangement.portions
            return inquiry


def _listed(seed: int) -> str:
    """Of all rows of some lists of steps, even or not, no two are further apart than is
    said.
    """
    random = Random(seed)
    for _ in range(5):
        largest_steps = tuple(random.randint(3, 9) for _ in range(random.randint(1, 2)))
        lists = [_list(random, largest) for largest in largest_steps]
        squared = tuple(range(random.randint(1, 3), 1 + len(largest_steps)))
        rows = addends(np.array(list(product(*lists))), squared, max(largest_steps))
        box, far = (
            Box(largest_steps, squared, max(largest_steps)),
            int(cdist(rows, rows, "cityblock").max()),
        )
        distance = box.distance(lists)
        if far > (box.bound() if distance is None else distance):
            return f"rows of {lists} are {far} apart, more than is said (seed {seed})"
    return ""


def _list(random: Random, largest: int) -> Ints:
    """Some steps with both ends, every other time as many to either side."""
    picked = {
        -largest,
        largest,
        *random.sample(range(1 - largest, largest), random.randint(0, 3)),
    }
    even = random.random() < 0.5
    return np.array(sorted(picked | {-step for step in picked} if even else picked))


def _multiplied(seed: int) -> str:
    random = Random(seed)
    with _rounded(random):
        inquiry = _asked(
            random, random.choice(list(Neighbors)), random.choice((ROW, ROW, PEOPLE))
        )
        (portion,) = inquiry.arrangement.portions
    points, is_all = _points(portion.block, portion.way, random)
    rows = vectors(portion.block, portion.way, points)
    broken = checked(portion.block, portion.way, points, rows, random, is_all=is_all)
    broken = broken or _lost(portion.block, portion.way, rows)
    return f"{broken} (seed {seed}: {inquiry.questions[0]})" if broken else ""


def _lost(block: Block, way: Way, rows: Any) -> str:
    assert way.mechanism is not None
    assert way.cost is not None
    far = farthest(and_damaged(rows), block)
    return (
        ""
        if within(way.mechanism, far, way.cost)
        else f"more than {way.cost} is lost at {far}"
    )


def _points(block: Block, way: Way, random: Random) -> tuple[list[Any], bool]:
    """All rows whose numbers are at steps of the grids, or some of them; and whether it is
    all.
    """
    grids = {
        grain.steps.column: grain.steps for grain in way.grains if grain.steps is not None
    }
    lists = []
    for axis, cut in enumerate(block.workload.columns):
        texts = texts_of(cut)
        texts += _steps(cut.base, grids[axis]) if axis in grids else []
        cells = [
            read_cell(cut.base, text, PRODUCTS.missing_values) for text in (*texts, *NEITHER)
        ]
        lists.append(list(dict.fromkeys(cells)))
    total = int(np.prod([len(cells) for cells in lists]))
    if total > POINTS:
        return [
            [random.choice(column_cells) for column_cells in lists] for _ in range(POINTS)
        ], False
    places = np.ndindex(*(len(column_cells) for column_cells in lists))
    return [
        [column_cells[at] for column_cells, at in zip(lists, place, strict=True)]
        for place in places
    ], True


def _steps(column: Any, steps: Steps) -> list[str]:
    """All values of whole numbers, and of others those at the steps."""
    if isinstance(column, Integer):
        return [str(value) for value in range(-10, 10)]
    values = (steps.middle + steps.grid * at for at in range(-steps.most, steps.most + 1))
    return [repr(float(value)) for value in values]
