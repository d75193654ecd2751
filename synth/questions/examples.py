"""Example questions about declared columns, each tried before it is shown. PUBLIC.

>>> from synth.domain import Categorical, Domain, Integer
>>> domain = Domain(
...     (
...         Categorical(name="sex", categories=("female", "male")),
...         Integer(name="age", minimum=0, maximum=99),
...     )
... )
>>> example_questions(domain)[:3]
['count where age >= 50', 'share where sex = female', 'table sex']
>>> questions_about("sex", domain)
['table sex', 'share where sex = female', 'top 1 sex']
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction

from synth.domain import Binned, Column, Domain
from synth.errors import SynthError
from synth.privacy import ROW, Guarantee, Unit
from synth.questions.inquiry import Inquiry
from synth.questions.wording.spelling import name_text, value_text

# Most examples of a table.
MAX_EXAMPLES = 10
# Most listed values of a column whose table is an example.
MAX_LISTED = 12
# Names of columns whose numbers are codes, not measures.
_CODE = re.compile(r"(^|[^a-z])(id|code|zip|postcode|nr|no|number|year)([^a-z]|$)")


def example_questions(domain: Domain, unit: Unit = ROW) -> list[str]:
    """Return questions that a table of these columns can be asked, the simplest first.

    Args:
        domain: The declared columns.
        unit: What one person is.
    """

    def try_question(question: str) -> None:
        """Arrange a question as if it were asked; SynthError if it cannot be."""
        inquiry = Inquiry.read([question], domain, Guarantee.pure(1), unit=unit)
        inquiry.arrangement.spending  # noqa: B018 - worked out, and then forgotten

    return answerable(_examples(domain.columns), try_question)[:MAX_EXAMPLES]


def questions_about(name: str, domain: Domain) -> list[str]:
    """Return questions about one column alone, the simplest first; they are not tried.

    ``name`` is one of the columns of ``domain``.
    """
    column = domain[name]
    own = name_text(name)
    if isinstance(column, Binned):
        questions = [f"share where {own} >= {_middle(column)}"]
        if measures([column]):
            questions = [f"mean {own}", f"median {own}", *questions]
        return questions
    questions = [f"table {own}", f"share where {own} = {value_text(_first_value(column))}"]
    if len(column.labels) > 1:
        questions.append(f"top 1 {own}")
    return questions


def questions_about_both(first: str, second: str, domain: Domain) -> list[str]:
    """Return example questions about two columns together; they are not tried.

    None for columns that are neither measures nor short lists.

    >>> from synth.domain import Categorical, Integer
    >>> domain = Domain(
    ...     (
    ...         Categorical(name="sex", categories=("f", "m")),
    ...         Integer(name="age", minimum=0, maximum=99),
    ...     )
    ... )
    >>> questions_about_both("sex", "age", domain)
    ['mean age by sex']
    """
    columns = (domain[first], domain[second])
    numbers = [name_text(column.name) for column in measures(columns)]
    listed = [name_text(column.name) for column in columns if _is_listed(column)]
    if len(numbers) == 2:
        return [f"correlation {numbers[0]}, {numbers[1]}"]
    if numbers and listed:
        return [f"mean {numbers[0]} by {listed[0]}"]
    if len(listed) < 2:
        return []
    questions = [f"table {listed[0]} by {listed[1]}"]
    binary = [name_text(column.name) for column in columns if len(column.labels) == 2]
    if binary:
        (other,) = (name for name in listed if name != binary[0])
        questions.append(f"logistic {binary[0]} on {other}")
    return questions


def answerable(questions: Iterable[str], try_question: Callable[[str], object]) -> list[str]:
    """Return those questions that can be asked, each once, in their order.

    Args:
        questions: Questions as texts.
        try_question: It raises a SynthError for a question that cannot be asked.
    """
    tried = []
    for question in dict.fromkeys(questions):
        try:
            try_question(question)
        except SynthError:
            continue
        tried.append(question)
    return tried


def measures(columns: Iterable[Column]) -> list[Binned]:
    """Return the numeric columns that are measures, so that their sums and means make sense.

    Columns with labelled values or names such as ``id`` or ``zip`` hold codes and are left
    out. So are columns with a range of at most 1.
    """
    return [
        column
        for column in columns
        if isinstance(column, Binned)
        and column.adds_up
        and not (column.meanings or _CODE.search(column.name.lower()))
        and float(column.maximum) - float(column.minimum) > 1
    ]


def _examples(columns: Sequence[Column]) -> Iterator[str]:
    """Yield example questions about these columns, as texts, the simplest first.

    They use numeric columns whose sums mean something, and columns with 2 to 12 listed
    values. The same text may come twice.
    """
    listed = sorted(filter(_is_listed, columns), key=_has_codes)  # words before codes
    numbers = measures(columns)
    if numbers:
        yield f"count where {name_text(numbers[0].name)} >= {_middle(numbers[0])}"
    if listed:
        name = name_text(listed[0].name)
        yield f"share where {name} = {value_text(_first_value(listed[0]))}"
        if len(listed) > 1:
            yield f"table {name} by {name_text(listed[1].name)}"
        else:
            yield f"table {name}"
    if numbers:
        name = name_text(numbers[0].name)
        yield f"mean {name} by {name_text(listed[0].name)}" if listed else f"mean {name}"
        yield f"total {name_text(numbers[-1].name)}"
        yield f"median {name}"
        yield f"variance {name}"
    if len(numbers) > 1:
        first, second = (name_text(column.name) for column in numbers[:2])
        yield f"regression {second} on {first}"
        yield f"means {', '.join(name_text(column.name) for column in numbers[:3])}"
    if listed:
        widest = max(listed, key=lambda column: len(column.labels))
        # Fewer than all values, as ranking all of them is a table.
        yield f"top {min(3, len(widest.labels) - 1)} {name_text(widest.name)}"


def _is_listed(column: Column) -> bool:
    """Return whether a column lists so few values that a table of it is short."""
    return not isinstance(column, Binned) and 2 <= len(column.labels) <= MAX_LISTED


def _has_codes(column: Column) -> bool:
    return _first_value(column).isdigit()


def _first_value(column: Column) -> str:
    """Return the first listed value, by its meaning if it is a code."""
    return column.meanings.get(column.labels[0], column.labels[0])


def _middle(column: Binned) -> str:
    """Return a value in the middle of a column's range, as a question has it."""
    if not column.adds_up:
        low, high = column.bounds
        return value_text(column.write_position(Fraction((low + high) // 2)))
    return f"{round((float(column.minimum) + float(column.maximum)) / 2):d}"
