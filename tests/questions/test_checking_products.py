"""What sums of products need of a column."""

import pytest

from synth.domain import Domain
from synth.domain.building import Date, Integer
from synth.errors import QuestionError
from synth.privacy import Guarantee
from synth.questions import Inquiry

DOMAIN = Domain(
    sex=["F", "M"],
    age=Integer(17, 90),
    hours=Integer(1, 99),
    one=Integer(3, 3),
    day=Date("2024-01-01", "2024-12-31"),
)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (
            "variance sex",
            "Column 'sex' (categorical) has no bounds, which a variance needs; "
            "columns of numbers have.",
        ),
        (
            "regression hours on age, sex",
            "has no bounds, which a regression of the table itself needs.",
        ),
        (
            "components age, day",
            "Column 'day' (date) holds no numbers, which a principal component needs.",
        ),
        (
            "regression hours on one",
            "Column 'one' is declared constant, and a regression needs one that varies.",
        ),
        ("covariance age, agee", "Column 'agee' is not declared; did you mean 'age'?"),
        (
            "variance age where age = 40",
            "The condition leaves column 'age' one value, and it has to vary.",
        ),
        ("variance age where age > 95", "is a condition that no declared value can meet"),
    ],
)
def test_what_a_column_lacks_is_one_sentence(text: str, why: str) -> None:
    """Variances, regressions and components of unfit columns are refused, and the message
    says why.

    They need columns of numbers, which vary, and which still vary under the condition. The
    column `one` is declared from 3 to 3. The questions are checked when they are arranged.
    """
    with pytest.raises(QuestionError) as refused:
        assert Inquiry.read([text], DOMAIN, Guarantee.pure(1)).arrangement
    assert why in str(refused.value)
