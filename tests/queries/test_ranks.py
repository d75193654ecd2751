"""Scores of values by their ranks, beside a plain look at every row."""

from contextlib import suppress
from fractions import Fraction
from pathlib import Path
from random import Random

import numpy as np
import pytest

from synth.errors import SynthError
from synth.privacy import ROW, Neighbors
from synth.private.counting import count
from synth.private.queries.ranks import ValueCounts, rank_scores, values_of
from synth.private.table import open_table
from synth.questions import Aim, Condition, Question, universe_of
from synth.questions.checking import check_condition
from synth.questions.kinds import choices
from synth.questions.quantiles.values import span_of
from tests.questions import plain
from tests.questions.survey import SURVEY, some_condition, some_rows
from tests.tables import write


@pytest.mark.parametrize("seed", range(60))
def test_scores_are_distances_of_ranks(seed: int) -> None:
    random = Random(seed)
    many = random.randint(1, 8)
    rows = [random.randrange(many) for _ in range(random.randint(0, 9))]
    aim = Aim(Fraction(random.randint(1, 4), 5), random.choice((0, 0, -2, 1)))
    places, counts = np.unique(np.array(rows, dtype=np.int64), return_counts=True)
    query = rank_scores(
        ValueCounts(places, counts), aim, many, neighbors=Neighbors.ADD_REMOVE, unit=ROW
    )
    wanted = aim.quantile * len(rows) + aim.shift
    want = []
    for value in range(many):
        below, up_to = (sum(r < value for r in rows), sum(r <= value for r in rows))
        high = max(0, below - wanted) if value else 0
        low = max(0, wanted - up_to) if value < many - 1 else 0
        want.append(-aim.quantile.denominator * max(high, low))
    assert np.repeat(query.values(), query.sizes).tolist() == want
    assert max(want) == 0


def checked(random: Random) -> Condition:
    """A condition that can be asked."""
    while True:
        with suppress(SynthError):
            return check_condition(some_condition(random), SURVEY)


@pytest.mark.parametrize("name", ["age", "hours", "day", "income"])
def test_rows_by_value_are_those_of_a_plain_reader(name: str, tmp_path: Path) -> None:
    random = Random(name)
    rows = some_rows(random, 60)
    table = open_table(write(tmp_path / "t.csv", list(SURVEY.names), rows))
    for number in range(1 if name == "income" else 3):
        where = checked(random) if number else None
        question = Question(kind=choices.MEDIAN, columns=(name,), where=where)
        universe = universe_of(question, SURVEY)
        found = values_of(count(table, universe), question)
        read = [row for row in plain.read(SURVEY, rows) if plain.holds(where, row, SURVEY)]
        kept = [row for row in read if not any(row[used].is_out for used in question.uses)]
        values = sorted(v for row in kept if (v := row[name].number) is not None)
        grid = universe.columns[universe.names.index(name)]
        spans = [span_of(grid, place) for place in found.places.tolist()]  # type: ignore[arg-type]
        told = [
            span
            for span, n in zip(spans, found.counts.tolist(), strict=True)
            for _ in range(n)
        ]
        assert len(told) == len(values)
        assert all(
            low <= value <= last for value, (low, last) in zip(values, told, strict=True)
        )
    assert repr(found) == "ValueCounts(private)"
