"""Lists become numbers: one for each value but the reference level."""

import pytest

from synth.analysis import ReleaseView
from synth.analysis.factors import cell_numbers, factors_of
from synth.analysis.selection import select_cells
from synth.domain import Categorical, Domain
from synth.errors import LimitError, QuestionError
from tests.analysis.releases import DOMAIN, histogram_release
from tests.questions.conditions import parse_condition


def test_a_condition_takes_values_away() -> None:
    """A value that a condition excludes makes no regressor, and cannot be the reference.

    Jobs are a, b, c and d: without a and c one factor is left, of d against b.
    """
    release = histogram_release()
    where = select_cells(parse_condition("job not in (a, c)"), ReleaseView(record=release))
    (factor,) = factors_of(("job",), (), DOMAIN, where=where)
    assert factor.label == "job = d (against b)"

    with pytest.raises(
        QuestionError, match="'where' leaves no other rows than of 'b', 'd' of"
    ):
        factors_of(("job",), (("job", "a"),), DOMAIN, where=where)
    with pytest.raises(
        QuestionError, match="'where' leaves no other rows than of 'a' of 'job'"
    ):
        factors_of(
            ("job",),
            (),
            DOMAIN,
            where=select_cells(parse_condition("job = a"), ReleaseView(record=release)),
        )


def test_too_many_values_are_refused() -> None:
    """A column of 62 values would make 61 coefficients against its reference: one too
    many.
    """
    wide = Domain((Categorical(name="x", categories=tuple(map(str, range(62)))),))
    with pytest.raises(
        LimitError, match="its regressors make 61 coefficients; the limit is 60"
    ):
        factors_of(("x",), (), wide)


def test_an_ordered_list_has_places_and_other_cells_do_not_count() -> None:
    """An ordered column counts as the numbers of its places, and a missing value as none.

    Low, mid and high are 0, 1 and 2. The missing cell, the fourth, holds no number.
    """
    column = Categorical(
        name="edu", categories=("low", "mid", "high"), ordered=True, missing=True
    )
    span = cell_numbers(Domain((column,)), "edu")
    assert span.low.tolist() == span.high.tolist() == [0, 1, 2, 0]
    assert span.held.tolist() == [True, True, True, False]
    assert not span.is_wide
    assert span.middles.tolist() == span.low.tolist()
    assert span.half_widths.tolist() == [0, 0, 0, 0]
