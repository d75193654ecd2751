"""Questions of sums of products, as texts and as JSON."""

import pytest

from synth.errors import QuestionError
from synth.questions.language import parse
from synth.questions.question import Kind, Question

TEXTS = [
    ("variance age by sex where x > 3", Kind.VARIANCE, ("age",)),
    ('covariance age, "hours-per-week"', Kind.COVARIANCE, ("age", "hours-per-week")),
    ("REGRESSION y ON a, b weight 2", Kind.REGRESSION, ("y", "a", "b")),
    ("regression on on a", Kind.REGRESSION, ("on", "a")),
    ("components a, b, c", Kind.COMPONENTS, ("a", "b", "c")),
]


@pytest.mark.parametrize(("text", "kind", "columns"), TEXTS)
def test_text_and_json_are_the_same_question(
    text: str, kind: Kind, columns: tuple[str, ...]
) -> None:
    found = parse(text)
    assert (found.kind, found.columns) == (kind, columns)
    assert parse(str(found)) == found
    assert Question.from_json(found.to_json()) == found


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("regression y a", "'a' (character 14): after its outcome a 'regression' says 'on'"),
        ("regression y", "after its outcome a 'regression' says 'on'"),
        ("regression y on", "the name of a column stands here"),
        ("regression y on y", "'regression' names the column 'y' twice."),
        ("components a, b, a", "'components' names the column 'a' twice."),
        ("components a", "'components' names from 2 to 10 columns."),
        ("regression y on a, b, c, d, e, f, g, h, i, j", "names from 2 to 10 columns."),
        ("variance a, b", "'variance' names exactly one column."),
        ("covariance a", "'covariance' names exactly two columns."),
        ("variance a over persons", "'variance' cannot be over persons"),
        ("regression y on a by b", "'regression' takes no groups with 'by'"),
    ],
)
def test_what_is_no_question_is_refused_in_one_sentence(text: str, why: str) -> None:
    with pytest.raises(QuestionError) as refused:
        parse(text)
    assert why in str(refused.value)
