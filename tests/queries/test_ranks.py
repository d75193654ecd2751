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
    """The score of a value is minus the number of rows between its ranks and the rank that is
    aimed at. Scores are whole numbers, in units of the quantile's denominator. The lowest
    value is never too high, and the highest never too low. The value with the right rank
    scores 0.
    """
    random = Random(seed)
    number_of_values = random.randint(1, 8)
    rows = [random.randrange(number_of_values) for _ in range(random.randint(0, 9))]
    aim = Aim(Fraction(random.randint(1, 4), 5), random.choice((0, 0, -2, 1)))

    places, counts = np.unique(np.array(rows, dtype=np.int64), return_counts=True)
    query = rank_scores(
        ValueCounts(places, counts),
        aim,
        number_of_values,
        neighbors=Neighbors.ADD_REMOVE,
        unit=ROW,
    )

    rank = aim.quantile * len(rows) + aim.shift

    # Plain Python compares each value with each row.
    expected_scores = []
    for value in range(number_of_values):
        below = sum(row < value for row in rows)
        up_to = sum(row <= value for row in rows)
        too_high = max(0, below - rank) if value else 0
        too_low = max(0, rank - up_to) if value < number_of_values - 1 else 0
        expected_scores.append(-aim.quantile.denominator * max(too_high, too_low))

    assert np.repeat(query.values(), query.sizes).tolist() == expected_scores
    assert max(expected_scores) == 0


def draw_condition(random: Random) -> Condition:
    """Draw a condition that can be asked."""
    while True:
        with suppress(SynthError):
            return check_condition(some_condition(random), SURVEY)


@pytest.mark.parametrize("name", ["age", "hours", "day", "income"])
def test_rows_by_value_are_those_of_a_plain_reader(name: str, tmp_path: Path) -> None:
    """Rows counted by value are those that plain Python finds, with and without a condition.

    There are as many rows, and each number lies within the span of its value. What is private
    shows no number when it is printed.
    """
    random = Random(name)
    rows = some_rows(random, 60)
    table = open_table(write(tmp_path / "t.csv", list(SURVEY.names), rows))
    for round_number in range(1 if name == "income" else 3):
        # The first round has no condition.
        where = draw_condition(random) if round_number else None
        question = Question(kind=choices.MEDIAN, columns=(name,), where=where)
        universe = universe_of(question, SURVEY)
        value_counts = values_of(count(table, universe), question)

        # Plain Python: rows for which the condition holds and no used cell is outside.
        matching_rows = [
            row for row in plain.read_rows(SURVEY, rows) if plain.holds(where, row, SURVEY)
        ]
        complete_rows = [
            row
            for row in matching_rows
            if not any(row[used].is_out for used in question.uses)
        ]
        values = sorted(
            number_in_row
            for row in complete_rows
            if (number_in_row := row[name].number) is not None
        )

        # The counted values as spans from lowest to highest, one for each row.
        grid = universe.columns[universe.names.index(name)]
        spans = [span_of(grid, place) for place in value_counts.places.tolist()]  # type: ignore[arg-type]
        spans_of_rows = [
            span
            for span, rows_of_value in zip(spans, value_counts.counts.tolist(), strict=True)
            for _ in range(rows_of_value)
        ]

        assert len(spans_of_rows) == len(values)
        assert all(
            low <= value <= last
            for value, (low, last) in zip(values, spans_of_rows, strict=True)
        )
    assert repr(value_counts) == "ValueCounts(private)"
