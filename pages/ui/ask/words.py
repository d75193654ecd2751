"""Answers as tables of texts, and example questions. PUBLIC."""

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import product

import pandas as pd

from synth.domain import Binned, Column, Domain
from synth.questions import NO_VALUE, Answer, Question, ShownNumbers, name_text, value_text

EXAMPLES = 10
# Names of columns whose numbers are codes, not measures.
_CODE = re.compile(r"(^|[^a-z])(id|code|zip|postcode|nr|no|number|year)([^a-z]|$)")


def off_free(answer: Answer) -> str:
    """Return the expected error of a free answer in words, such as "± 3 rows" or "exact".

    A free answer is computed from a release and costs nothing. A note follows if it rests on
    an assumption. Without an answer the text is ``NO_VALUE``.
    """
    if math.isnan(answer.expected_error):
        return NO_VALUE
    # Every remark on an assumption has this word.
    is_assumed = any("assumed" in remark for remark in answer.remarks)
    error = answer.error_text if answer.expected_error else "exact"
    return f"{error} (assumed)" if is_assumed else error


def as_table(
    question: Question | None, numbers: ShownNumbers, domain: Domain
) -> pd.DataFrame:
    """Return the numbers of an answer as a table of texts.

    With two or more grouping columns the table is crossed: the last column's values are its
    columns, all others its rows. Otherwise it has one row per number.

    Args:
        question: Its columns or its groups order the cells; None if the numbers have none.
        numbers: The numbers, with labels such as ``female, north`` for crossed cells.
        domain: The columns, for the titles of their values.
    """
    labels = numbers.labels or tuple(
        f"{place}." for place in range(1, len(numbers.texts) + 1)
    )
    names = (question.by or question.columns) if question else ()
    titles = [domain[name].titles for name in names]
    # Only labels that are exactly all combinations, in order, can be folded into a crossed
    # table: an answer may have other numbers, or leave cells out.
    if len(names) < 2 or labels != tuple(map(", ".join, product(*titles))):
        return pd.DataFrame({"what": labels, "answer": numbers.texts})
    width = len(titles[-1])
    cells = [numbers.texts[start : start + width] for start in range(0, len(labels), width)]
    index = pd.MultiIndex.from_product(titles[:-1], names=names[:-1])
    return pd.DataFrame(cells, index=index, columns=pd.Index(titles[-1], name=names[-1]))


def examples(columns: Sequence[Column]) -> list[str]:
    """Return example questions about these columns."""
    return list(dict.fromkeys(_examples(columns)))[:EXAMPLES]


def _examples(columns: Iterable[Column]) -> Iterator[str]:
    """Yield example questions about these columns, as texts, the simplest first.

    They use numeric columns whose sums mean something, and columns with 2 to 12 listed
    values. The same text may come twice.
    """
    all_columns = list(columns)
    listable = [
        c for c in all_columns if 2 <= len(c.labels) <= 12 and not isinstance(c, Binned)
    ]
    listable.sort(key=lambda column: _value(column).isdigit())  # words before codes
    numbers = measures(all_columns)
    if numbers:
        middle = (float(numbers[0].minimum) + float(numbers[0].maximum)) / 2
        yield f"count where {name_text(numbers[0].name)} >= {round(middle):d}"
    if listable:
        name = name_text(listable[0].name)
        yield f"share where {name} = {value_text(_value(listable[0]))}"
        if len(listable) > 1:
            yield f"table {name} by {name_text(listable[1].name)}"
        else:
            yield f"table {name}"
    if numbers:
        name = name_text(numbers[0].name)
        yield f"mean {name} by {name_text(listable[0].name)}" if listable else f"mean {name}"
        yield f"total {name_text(numbers[-1].name)}"
        yield f"median {name}"
        yield f"variance {name}"
    if len(numbers) > 1:
        first, second = (name_text(c.name) for c in numbers[:2])
        yield f"regression {second} on {first}"
        yield f"means {', '.join(name_text(c.name) for c in numbers[:3])}"
    if listable:
        widest = max(listable, key=lambda column: len(column.labels))
        # Fewer than all values, as ranking all of them is a table.
        yield f"top {min(3, len(widest.labels) - 1)} {name_text(widest.name)}"


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


def _value(column: Column) -> str:
    return column.meanings.get(column.labels[0], column.labels[0])


def released_examples(columns: Sequence[Column]) -> list[str]:
    """Return up to three example questions that only a release can answer.

    They are a correlation, a regression and a logistic regression, if the columns allow them.
    """
    numbers = [name_text(column.name) for column in measures(columns)]
    value_counts = {
        name_text(c.name): len(c.labels) for c in columns if not isinstance(c, Binned)
    }
    listable = [name for name, values in value_counts.items() if 2 <= values <= 12]
    binary = [name for name in listable if value_counts[name] == 2]
    questions = []
    if len(numbers) > 1:
        questions.append(f"correlation {numbers[0]}, {numbers[1]}")
    if numbers and listable:
        regressors = [*numbers[1:2], *listable[:1]]
        questions.append(f"regression {numbers[0]} on {', '.join(regressors)}")
    # Two predictors other than the outcome, which is the first binary column.
    predictors = [name for name in listable[:3] if name not in binary[:1]][:2]
    if binary and predictors:
        questions.append(f"logistic {binary[0]} on {', '.join(predictors)}")
    return questions
