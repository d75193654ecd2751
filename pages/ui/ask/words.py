"""Questions, errors and answers in words. PUBLIC.

>>> quantity(26.7, "rows"), quantity(0.0123, "rows"), quantity(474.2, "rows")
('27 rows', '0.012 rows', '474 rows')
"""

import math
from collections.abc import Iterable, Iterator, Sequence

import pandas as pd

from synth.domain import Column
from synth.questions import Answer, name_text, value_text

NO_ANSWER = "no answer"
EXAMPLES = 10


def number(value: float) -> str:
    """A number with as many digits as say something."""
    if not math.isfinite(value):
        return NO_ANSWER
    if value == int(value) or abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if abs(value) >= 10 else f"{value:.2g}"


def quantity(value: float, unit: str) -> str:
    """An error with its unit."""
    size = number(float(f"{value:.2g}") if 1 <= value < 100 else value)
    return f"{size} {unit}"


def unit_of(answer: Answer) -> str:
    """What an error of the answer is counted in."""
    kind = answer.question.kind
    if answer.question.is_bare:
        return kind.choices
    if kind.in_rows:  # quantiles are off by rows as well
        return "rows"
    if kind.error_unit:
        return kind.error_unit
    column = answer.column
    if column is None:
        return "in its own unit"
    return column.told_in or f"of {column.name}"


def error_words(answer: Answer) -> str:
    """How far off an answer is expected to be."""
    if answer.is_public:
        return "exact: it is public"
    if math.isnan(answer.expected_error):
        return "likely no answer: the noise could hide all rows of a group"
    if answer.question.kind.is_ranked:
        said = quantity(answer.expected_error, "rows")
        return f"up to about {said} from {'their ranks' if answer.labels else 'its rank'}"
    if answer.question.is_bare:
        return f"about {quantity(answer.expected_error, 'rows')} short, at most"
    parts = 100 if answer.question.kind.is_part else 1
    said = quantity(answer.expected_error * parts, unit_of(answer))
    return f"about ± {said}{' each' if len(answer.value) > 1 else ''}"


def off_free(answer: Answer) -> str:
    """How far off an answer that a release gives for nothing is expected to be."""
    if math.isnan(answer.expected_error):
        return NO_ANSWER
    assumed = any("assumed" in remark for remark in answer.remarks)
    said = error_words(answer) if answer.expected_error else "exact"
    return f"{said} (assumed)" if assumed else said


def show_value(answer: Answer, value: float, place: int) -> str:
    """A number of an answer."""
    if math.isnan(value):
        return NO_ANSWER
    if answer.question.kind.is_part:
        return f"{100 * value:.2f} %"
    column = answer.column_of(place)
    if column is not None and column.told_in:  # a date
        return str(answer.shown(value, place))
    return f"{value:,.0f}" if value == int(value) else f"{value:,.6g}"


def as_table(answer: Answer) -> pd.DataFrame:
    """Every number of an answer with its interval, as texts."""
    labels = answer.labels or ("",) * len(answer.value)
    ends = {"answer": answer.value, "from": answer.low, "to": answer.high}
    rows = {
        name: [
            show_value(answer, float(v), place)
            if not math.isnan(v) or math.isnan(middle)
            else "none"
            for place, (v, middle) in enumerate(zip(values, answer.value, strict=True))
        ]
        for name, values in ends.items()
    }
    return pd.DataFrame({"what": list(labels), **rows})


def examples(columns: Sequence[Column]) -> list[str]:
    """Questions that can be asked of these columns, as texts; one of each kind."""
    return list(dict.fromkeys(_examples(columns)))[:EXAMPLES]


def _examples(columns: Iterable[Column]) -> Iterator[str]:
    listed = list(columns)
    named = [c for c in listed if 2 <= len(c.titles) <= 12 and not _ends(c)]
    numbers = [c for c in listed if _ends(c) and not c.told_in]
    if numbers and (ends := _ends(numbers[0])):
        middle = value_text(f"{round(sum(ends) / 2):d}")
        yield f"count where {name_text(numbers[0].name)} >= {middle}"
    if named:
        name = name_text(named[0].name)
        yield f"share where {name} = {value_text(named[0].titles[0])}"
        yield f"table {name}" + (f" by {name_text(named[1].name)}" if len(named) > 1 else "")
    if numbers:
        name = name_text(numbers[0].name)
        yield f"mean {name}" + (f" by {name_text(named[0].name)}" if named else "")
        yield f"total {name_text(numbers[-1].name)}"
    if numbers:
        yield f"median {name_text(numbers[0].name)}"
        yield f"variance {name_text(numbers[0].name)}"
    if len(numbers) > 1:
        first, second = (name_text(c.name) for c in numbers[:2])
        yield f"regression {second} on {first}"
        yield f"means {', '.join(name_text(c.name) for c in numbers[:3])}"
    if named:
        widest = max(named, key=lambda c: len(c.titles))
        k = min(3, len(widest.titles) - 1)
        yield f"top {k} {name_text(widest.name)}"


def released_examples(columns: Sequence[Column]) -> list[str]:
    """Questions of these columns that a release alone answers."""
    plain = [c for c in columns if not c.told_in]
    numbers = [name_text(c.name) for c in plain if _ends(c)]
    lists = {name_text(c.name): len(c.labels) for c in plain if not _ends(c)}
    named = [name for name, values in lists.items() if 2 <= values <= 12]
    two = [name for name in named if lists[name] == 2]
    found = [f"correlation {numbers[0]}, {numbers[1]}"] if len(numbers) > 1 else []
    regressors = [*numbers[1:2], *named[:1]]
    found += [f"regression {numbers[0]} on {', '.join(regressors)}"] if numbers and named else []
    others = [name for name in named[:3] if name not in two[:1]][:2]
    return found + ([f"logistic {two[0]} on {', '.join(others)}"] if two and others else [])


def _ends(column: Column) -> tuple[float, float] | None:
    """The declared ends of a column of numbers; None of any other."""
    try:
        low, high = (float(getattr(column, end)) for end in ("minimum", "maximum"))
    except (AttributeError, TypeError, ValueError):
        return None
    return (low, high) if math.isfinite(low + high) else None
