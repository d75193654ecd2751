"""Questions as tallies: which rows add where."""

import numpy as np
import pytest

from synth import limits
from synth.domain import Categorical, Domain, Integer
from synth.errors import LimitError, QuestionError
from synth.privacy import ROW, Neighbors, Unit
from synth.questions import Grain, check_question, parse
from synth.questions.workloads.grains import steps_around
from synth.questions.workloads.tallies import column_ends
from synth.questions.workloads.workload import Workload
from tests.questions.survey import SURVEY


def workload(
    *texts: str, neighbors: Neighbors = Neighbors.REPLACE_ONE, unit: Unit = ROW
) -> Workload:
    asked = [check_question(parse(text), SURVEY, unit) for text in texts]
    return Workload.build(asked, SURVEY, neighbors, unit=unit)


def test_what_is_added_up_twice_is_one_tally() -> None:
    found = workload(
        "mean hours by sex", "total hours by sex", "table sex", "top 2 sex with counts"
    )
    assert len(found.tallies) == 3
    assert found.readings[2].numerators == found.readings[3].numerators


def test_the_same_condition_in_another_order_is_one_tally() -> None:
    one = "count where age < 40 and sex = F"
    other = "count where sex = F and (age < 40 and age < 40)"
    assert len(workload(one, other).tallies) == 1
    assert str(workload(other).questions[0]).startswith("count where sex")


def test_only_used_columns_are_in_the_universe() -> None:
    assert workload("mean age by sex").universe.names == ("sex", "age")
    assert workload("count").universe.names == ("sex",)


@pytest.mark.parametrize(
    "text",
    [
        "mean hours where hours >= 3",
        "mean hours where not (hours >= 3)",
        "means hours, seen where hours < 3",
    ],
)
def test_a_condition_may_be_about_the_column_whose_mean_is_asked(text: str) -> None:
    for neighbors in Neighbors:
        found = workload(text, neighbors=neighbors)
        assert all(below is not None for below in found.readings[0].denominators)


def test_other_columns_of_means_leave_out_no_rows() -> None:
    found = workload("means income, hours", neighbors=Neighbors.ADD_REMOVE)
    assert [tally.axes for tally in found.tallies] == [(1,), (0,), (1,), (0,)]


@pytest.mark.parametrize(
    ("text", "is_divided"),
    [
        ("mean hours", False),
        ("mean hours by sex", True),
        ("mean hours where sex = F", True),
        ("mean age", True),  # it may be missing, or a code
        ("mean weight", True),  # it may be in the cell for values outside
    ],
)
def test_a_mean_is_over_a_public_number_of_rows_where_each_has_its_place(
    text: str, is_divided: bool
) -> None:
    assert (workload(text).readings[0].denominators != (None,)) == is_divided
    alone = workload(text, neighbors=Neighbors.ADD_REMOVE).readings[0].denominators
    assert None not in alone


def test_codes_outside_the_bounds_are_no_numbers_of_a_mean() -> None:
    domain = Domain((Integer(name="age", minimum=0, maximum=9, spikes=(99,)),))
    found = Workload.build([parse("mean age")], domain)
    assert found.readings[0].denominators == (1,)


def test_a_share_is_over_noisy_rows_where_their_number_is_private() -> None:
    assert workload("share where age > 3").readings[0].denominators == (None,)
    assert workload("share where smoker = yes").readings[0].denominators == (1,)
    assert workload("share where age > 3", neighbors=Neighbors.ADD_REMOVE).readings[
        0
    ].denominators == (1,)
    persons = workload("share where age > 3", unit=Unit("pid", 2))
    assert persons.readings[0].denominators == (1,)


def test_a_sum_has_both_ends_of_every_atom() -> None:
    found = workload("total hours where hours < 7")
    (cut,) = found.columns
    steps = steps_around(0, cut, 100)
    ends = column_ends(cut, steps)
    term = found.term(0, Grain(steps=steps), frozenset({0}))
    assert found.sizes(frozenset({0})) == (2 * cut.size,)
    assert len(ends) == 2 * cut.size
    assert (ends[::2] <= ends[1::2]).all()
    assert term.value[np.asarray(term.place) >= 0].max() < ends.max()


def test_a_condition_that_no_number_meets_is_refused() -> None:
    with pytest.raises(QuestionError, match="is a condition that no declared value can meet"):
        workload("mean weight where weight = '(other)'")


def test_too_many_cells_are_refused() -> None:
    many = tuple(map(str, range(200)))
    domain = Domain(tuple(Categorical(name=name, categories=many) for name in "abc"))
    with pytest.raises(LimitError) as caught:
        Workload.build([parse("table a, b, c")], domain)
    assert f"the limit of one question is {limits.QUESTION_CELLS:,}" in str(caught.value)
