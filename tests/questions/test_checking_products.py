"""What sums of products need of a column."""

import pytest

from synth.domain.domain import Categorical, Date, Domain, Integer
from synth.errors import QuestionError
from synth.privacy.guarantee import Guarantee
from synth.questions.inquiry import Inquiry

DOMAIN = Domain(
    (
        Categorical(name="sex", categories=("F", "M")),
        Integer(name="age", minimum=17, maximum=90),
        Integer(name="hours", minimum=1, maximum=99),
        Integer(name="one", minimum=3, maximum=3),
        Date(name="day", minimum="2024-01-01", maximum="2024-12-31"),
    )
)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("variance sex", "Column 'sex' (categorical) has no bounds, which a variance needs; "
         "columns of numbers have."),
        ("regression hours on age, sex", "has no bounds, which a regression of the table "
         "itself needs."),
        ("components age, day", "Column 'day' (date) holds no numbers, which a principal component "
         "needs."),
        ("regression hours on one", "Column 'one' is declared constant, and a regression needs one "
         "that varies."),
        ("covariance age, agee", "Column 'agee' is not declared; did you mean 'age'?"),
        ("variance age where age = 40", "The condition leaves column 'age' one value, and it has "
         "to vary."),
        ("variance age where age > 95", "is a condition that no declared value can meet"),
    ],
)  # fmt: skip
def test_what_a_column_lacks_is_one_sentence(text: str, why: str) -> None:
    with pytest.raises(QuestionError) as refused:
        assert Inquiry.of([text], DOMAIN, Guarantee.pure(1)).arrangement
    assert why in str(refused.value)
