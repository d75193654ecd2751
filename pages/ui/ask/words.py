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
    if math.isnan(answer.expected_error):
        return NO_VALUE
    assumed = any("assumed" in remark for remark in answer.remarks)
    said = answer.error_text if answer.expected_error else "exact"
    return f"{said} (assumed)" if assumed else said


def as_table(question: Question | None, found: ShownNumbers, domain: Domain) -> pd.DataFrame:
    labels = found.labels or tuple(f"{place}." for place in range(1, len(found.texts) + 1))
    names = (question.by or question.columns) if question and not question.kind.picks else ()
    titles = [domain[name].titles for name in names]
    if len(names) < 2 or labels != tuple(map(", ".join, product(*titles))):
        return pd.DataFrame({"what": labels, "answer": found.texts})
    cells = [
        found.texts[i : i + len(titles[-1])] for i in range(0, len(labels), len(titles[-1]))
    ]
    index = pd.MultiIndex.from_product(titles[:-1], names=names[:-1])
    return pd.DataFrame(cells, index=index, columns=pd.Index(titles[-1], name=names[-1]))


def examples(columns: Sequence[Column]) -> list[str]:
    return list(dict.fromkeys(_examples(columns)))[:EXAMPLES]


def _examples(columns: Iterable[Column]) -> Iterator[str]:
    listed = list(columns)
    named = [c for c in listed if 2 <= len(c.labels) <= 12 and not isinstance(c, Binned)]
    named.sort(key=lambda column: _value(column).isdigit())  # words before codes
    numbers = measures(listed)
    if numbers:
        low, high = (float(end) for end in (numbers[0].minimum, numbers[0].maximum))
        yield f"count where {name_text(numbers[0].name)} >= {round((low + high) / 2):d}"
    if named:
        name = name_text(named[0].name)
        yield f"share where {name} = {value_text(_value(named[0]))}"
        yield f"table {name}" + (f" by {name_text(named[1].name)}" if len(named) > 1 else "")
    if numbers:
        name = name_text(numbers[0].name)
        yield f"mean {name}" + (f" by {name_text(named[0].name)}" if named else "")
        yield f"total {name_text(numbers[-1].name)}"
        yield f"median {name}"
        yield f"variance {name}"
    if len(numbers) > 1:
        first, second = (name_text(c.name) for c in numbers[:2])
        yield f"regression {second} on {first}"
        yield f"means {', '.join(name_text(c.name) for c in numbers[:3])}"
    if named:
        widest = max(named, key=lambda c: len(c.labels))
        yield f"top {min(3, len(widest.labels) - 1)} {name_text(widest.name)}"


def measures(columns: Iterable[Column]) -> list[Binned]:
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
    numbers = [name_text(column.name) for column in measures(columns)]
    lists = {name_text(c.name): len(c.labels) for c in columns if not isinstance(c, Binned)}
    named = [name for name, values in lists.items() if 2 <= values <= 12]
    two = [name for name in named if lists[name] == 2]
    found = [f"correlation {numbers[0]}, {numbers[1]}"] if len(numbers) > 1 else []
    regressors = [*numbers[1:2], *named[:1]]
    found += (
        [f"regression {numbers[0]} on {', '.join(regressors)}"] if numbers and named else []
    )
    others = [name for name in named[:3] if name not in two[:1]][:2]
    return found + ([f"logistic {two[0]} on {', '.join(others)}"] if two and others else [])
