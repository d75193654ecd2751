"""Answers as tables of texts. PUBLIC."""

import math
from itertools import product

import pandas as pd

from synth.domain import Domain
from synth.questions import NO_VALUE, Answer, Question, ShownNumbers


def off_free(answer: Answer) -> str:
    """Return the average error of a free answer in words, such as "± 3 rows" or "exact".

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
