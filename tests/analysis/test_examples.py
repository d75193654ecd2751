"""Examples of a release: each has an estimate, and pairs were measured together."""

from collections.abc import Callable
from functools import partial

import pytest

from synth.analysis import Conclusion, conclusions, released_examples
from synth.errors import QuestionError
from synth.estimate import Record
from synth.questions import parse
from tests.analysis.releases import histogram_release, marginals_release


def asking(record: Record) -> Callable[[str], list[Conclusion]]:
    """A function that answers a question from this release."""
    return lambda question: conclusions([question], record)


@pytest.mark.parametrize("make", [histogram_release, marginals_release])
def test_each_example_has_an_estimate(make: Callable[[], Record]) -> None:
    """The release answers each example with an estimate, and not only with bounds."""
    record = make()
    examples = released_examples(record, asking(record))
    assert len(examples) >= 4
    for (conclusion,) in map(asking(record), examples):
        assert not conclusion.bound
        assert conclusion.chosen or (conclusion.low <= conclusion.high).any()


def test_examples_about_two_columns_were_measured_together() -> None:
    """Jobs were measured alone, so no example is about jobs and another column.

    Age was measured with hours and with sex: it has examples with both.
    """
    record = marginals_release()
    ask = asking(record)
    uses_of_job = [parse(question).uses for question in released_examples(record, ask, "job")]
    assert uses_of_job
    assert {*uses_of_job} == {("job",)}

    about_age = [parse(question).uses for question in released_examples(record, ask, "age")]
    assert all("age" in uses for uses in about_age)
    assert {name for uses in about_age for name in uses} == {"age", "hours", "sex"}


def test_what_the_release_refuses_is_no_example() -> None:
    """A release that answers nothing has no examples, and each question is tried once."""
    tried: list[str] = []

    def refuse(tried: list[str], question: str) -> list[Conclusion]:
        """Refuse every question."""
        tried.append(question)
        raise QuestionError

    assert released_examples(marginals_release(), partial(refuse, tried)) == []
    assert len(tried) == len({*tried}) >= 4
