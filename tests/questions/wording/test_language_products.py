"""Questions of sums of products, as texts and as JSON."""

import pytest

from synth.errors import QuestionError
from synth.questions import Question, QuestionKind, parse
from synth.questions.kinds import moments, regressions

TEXTS = [
    ("variance age by sex where x > 3", moments.VARIANCE, ("age",)),
    ('covariance age, "hours-per-week"', moments.COVARIANCE, ("age", "hours-per-week")),
    ("REGRESSION y ON a, b weight 2", regressions.REGRESSION, ("y", "a", "b")),
    ("regression on on a", regressions.REGRESSION, ("on", "a")),
    ("correlation a, b", moments.CORRELATION, ("a", "b")),
    ("regression y on a, b reference 'x y', c", regressions.REGRESSION, ("y", "a", "b", "c")),
    (
        "regression y on reference reference reference",
        regressions.REGRESSION,
        ("y", "reference"),
    ),
    ("logistic y on a, b", regressions.LOGISTIC, ("y", "a", "b")),
    ("logistic on on a", regressions.LOGISTIC, ("on", "a")),
    ("logistic y = 1 on a, b reference on where c > 2", regressions.LOGISTIC, ("a", "b")),
    ("LOGISTIC (y > 1 or z in (a, on)) ON a", regressions.LOGISTIC, ("a",)),
    ("logistic (y = on) on a weight 2", regressions.LOGISTIC, ("a",)),
    ("components a, b, c", moments.COMPONENTS, ("a", "b", "c")),
]


@pytest.mark.parametrize(("text", "kind", "columns"), TEXTS)
def test_text_and_json_are_the_same_question(
    text: str, kind: QuestionKind, columns: tuple[str, ...]
) -> None:
    """Questions of products are read from text, and are the same after writing as text and
    JSON.

    Words of the language, such as `on` and `reference`, may be names of columns.
    """
    question = parse(text)
    assert (question.kind, question.columns) == (kind, columns)
    assert parse(str(question)) == question
    assert Question.from_json(question.to_json()) == question


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (
            "regression y a",
            "'a' (character 14): write 'on' after the outcome of a 'regression'",
        ),
        ("regression y", "write 'on' after the outcome of a 'regression'"),
        ("regression y on", "write the name of a column here"),
        ("regression y on y", "'regression' names the column 'y' twice."),
        ("components a, b, a", "'components' names the column 'a' twice."),
        ("correlation a", "'correlation' names exactly two columns."),
        ("correlation a, b by c", "'correlation' takes no groups with 'by'"),
        ("logistic y", "write 'on' after the outcome of a 'logistic'"),
        ("logistic y = 1", "write 'on' after the outcome of a 'logistic'"),
        ("logistic y = on a", "a condition joins comparisons"),
        ("logistic y = 1 on y, a", "has the column 'y' in its outcome and in 'on'"),
        ("logistic y on a reference", "write a value after 'reference'"),
        ("variance y reference 1", "write 'by', 'with counts'"),
        ("components a", "'components' names from 2 to 10 columns."),
        ("regression y on a, b, c, d, e, f, g, h, i, j", "names from 2 to 10 columns."),
        ("variance a, b", "'variance' names exactly one column."),
        ("covariance a", "'covariance' names exactly two columns."),
        ("variance a over persons", "'variance' cannot be over persons"),
        ("regression y on a by b", "'regression' takes no groups with 'by'"),
    ],
)
def test_what_is_no_question_is_refused_in_one_sentence(text: str, why: str) -> None:
    """A question of products with a wrong number of columns, or a missing word, is refused;
    the message says why.
    """
    with pytest.raises(QuestionError) as refused:
        parse(text)
    assert why in str(refused.value)
