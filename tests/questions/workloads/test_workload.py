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


def build_workload(
    *texts: str, neighbors: Neighbors = Neighbors.REPLACE_ONE, unit: Unit = ROW
) -> Workload:
    """The questions about the test survey as sums over the rows."""
    questions = [check_question(parse(text), SURVEY, unit) for text in texts]
    return Workload.build(questions, SURVEY, neighbors, unit=unit)


def test_what_is_added_up_twice_is_one_tally() -> None:
    """Sums over the rows (tallies) that several questions need are measured once.

    Four questions need three: hours by sex, rows with hours by sex, and rows by sex, which
    the table and the top list share.
    """
    built = build_workload(
        "mean hours by sex", "total hours by sex", "table sex", "top 2 sex with counts"
    )
    assert len(built.tallies) == 3
    assert built.readings[2].numerators == built.readings[3].numerators


def test_the_same_condition_in_another_order_is_one_tally() -> None:
    """A condition in another order, with a repetition, is measured once, as one tally.

    Each question still writes its own condition in the order in which it was asked.
    """
    first = "count where age < 40 and sex = F"
    second = "count where sex = F and (age < 40 and age < 40)"
    assert len(build_workload(first, second).tallies) == 1
    assert str(build_workload(second).questions[0]).startswith("count where sex")


def test_only_used_columns_are_in_the_universe() -> None:
    assert build_workload("mean age by sex").universe.names == ("sex", "age")
    assert build_workload("count").universe.names == ("sex",)


@pytest.mark.parametrize(
    "text",
    [
        "mean hours where hours >= 3",
        "mean hours where not (hours >= 3)",
        "means hours, seen where hours < 3",
    ],
)
def test_a_condition_may_be_about_the_column_whose_mean_is_asked(text: str) -> None:
    """A mean under a condition on its own column is divided by a noisy number of rows."""
    for neighbors in Neighbors:
        built = build_workload(text, neighbors=neighbors)
        assert all(below is not None for below in built.readings[0].denominators)


def test_other_columns_of_means_leave_out_no_rows() -> None:
    """Each of several means is over the rows that have that column's number, whatever the
    others hold.

    Each column has a sum and a count of its own, over its own axis only.
    """
    built = build_workload("means income, hours", neighbors=Neighbors.ADD_REMOVE)
    assert [tally.axes for tally in built.tallies] == [(1,), (0,), (1,), (0,)]


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
    """A mean is divided by a noisy number of rows only where some rows may lack a number.

    That is under replace-one. If rows are added or removed, their number is private, and
    always noisy.
    """
    assert (build_workload(text).readings[0].denominators != (None,)) == is_divided
    denominators = (
        build_workload(text, neighbors=Neighbors.ADD_REMOVE).readings[0].denominators
    )
    assert None not in denominators


def test_codes_outside_the_bounds_are_no_numbers_of_a_mean() -> None:
    """A code such as 99 is no age, so the mean is divided by a noisy number of the other
    rows.

    That is the sum over the rows (tally) of number 1; a public number of rows would be None.
    """
    domain = Domain((Integer(name="age", minimum=0, maximum=9, spikes=(99,)),))
    built = Workload.build([parse("mean age")], domain)
    assert built.readings[0].denominators == (1,)


def test_a_share_is_over_noisy_rows_where_their_number_is_private() -> None:
    """A share is of the public number of rows (None) only if each row is sure to be counted
    in it.

    Otherwise it is of the sum (tally) of number 1, a noisy number of rows. That is so if
    smoker cannot be read, if rows are added or removed, and if a person has several rows.
    """
    assert build_workload("share where age > 3").readings[0].denominators == (None,)
    assert build_workload("share where smoker = yes").readings[0].denominators == (1,)

    private = build_workload("share where age > 3", neighbors=Neighbors.ADD_REMOVE)
    assert private.readings[0].denominators == (1,)
    persons = build_workload("share where age > 3", unit=Unit("pid", 2))
    assert persons.readings[0].denominators == (1,)


def test_a_sum_has_both_ends_of_every_atom() -> None:
    """The sensitivity of a sum looks at the least and the greatest value of every atom.

    A row may be at either end, so there are twice as many values as atoms. Hours from 7 on do
    not count, so the largest value that does is below the largest of all.
    """
    built = build_workload("total hours where hours < 7")
    (cut,) = built.columns
    steps = steps_around(0, cut, 100)
    ends = column_ends(cut, steps)

    term = built.term(0, Grain(steps=steps), frozenset({0}))
    assert built.sizes(frozenset({0})) == (2 * cut.size,)
    assert len(ends) == 2 * cut.size
    assert (ends[::2] <= ends[1::2]).all()
    assert term.value[np.asarray(term.place) >= 0].max() < ends.max()


def test_a_condition_that_no_number_meets_is_refused() -> None:
    """A mean of the rows whose weight is no number (other) is refused."""
    with pytest.raises(QuestionError, match="is a condition that no declared value can meet"):
        build_workload("mean weight where weight = '(other)'")


def test_too_many_cells_are_refused() -> None:
    """A table of 200^3 = 8 million cells is beyond the limit of one question, 2^20."""
    categories = tuple(map(str, range(200)))
    domain = Domain(tuple(Categorical(name=name, categories=categories) for name in "abc"))
    with pytest.raises(LimitError) as caught:
        Workload.build([parse("table a, b, c")], domain)
    assert f"the limit of one question is {limits.QUESTION_CELLS:,}" in str(caught.value)
