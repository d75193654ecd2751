"""Which sums are measured, and where rows with both numbers are counted as well."""

import pytest

from synth.domain import Domain, Integer
from synth.estimate import MomentSum
from synth.estimate.models.moment_queries import moment_queries

AGE = Integer(name="age", minimum=0, maximum=99, bins=4)
WAGE = Integer(name="wage", minimum=0, maximum=999, bins=4, missing=True)
DOMAIN = Domain((AGE, WAGE))
ROWS_WITH_BOTH = MomentSum(columns=(), given=(0, 1))


@pytest.mark.parametrize(
    ("terms", "measured", "counts_rows"),
    [
        (["age*wage"], [], True),
        (["age*wage"], [(0, 1)], False),
        (["pairs"], [(0, 1)], False),
    ],
)
def test_rows_with_both_numbers_are_counted_if_no_histogram_does(
    *, terms: list[str], measured: list[tuple[int, ...]], counts_rows: bool
) -> None:
    """A sum of age*wage is measured with the number of rows that have both numbers, unless a
    measured histogram of the pair, (0, 1), counts these rows already.

    A wage may be missing. The term "pairs" asks for the products of all measured pairs.
    """
    queries = moment_queries(terms, DOMAIN, measured)
    sums = [moment_sum for query in queries for moment_sum in query]
    assert MomentSum(columns=(0, 1)) in sums
    counted_rows = [moment_sum for moment_sum in sums if not moment_sum.columns]
    assert counted_rows == ([ROWS_WITH_BOTH] if counts_rows else [])


def test_rows_with_one_number_are_counted_by_its_own_column() -> None:
    """A sum of squares of one column needs no further count of rows that have the number.

    The histogram of the column itself counts rows without a wage.
    """
    sums = [
        moment_sum for query in moment_queries(["wage*wage"], DOMAIN) for moment_sum in query
    ]
    assert MomentSum(columns=(1, 1)) in sums
    assert not [moment_sum for moment_sum in sums if not moment_sum.columns]
