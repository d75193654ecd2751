"""The real answers to questions, next to the noisy ones. PRIVATE.

They have the same cuts and the same rule for groups without an answer; only the noise
differs."""

import numpy as np

from synth.bundle import Asked
from synth.door import Query
from synth.private.counting import Engine
from synth.private.queries import AskedRows, asked_rows, choices, totals
from synth.private.table import PrivateTable
from synth.questions import Answer, Portion, read_answers
from synth.util import Ints


def real_answers(released: Asked, table: PrivateTable) -> list[Answer]:
    """Return the answers without noise, in the order of the questions. PRIVATE.

    Args:
        released: The questions, and how their noisy answers were measured.
        table: The confidential rows.
    """
    inquiry = released.inquiry
    rows = asked_rows(inquiry, table, Engine.DUCKDB)
    exact = tuple(_count_exactly(rows, portion) for portion in inquiry.arrangement.portions)
    public_rows = rows.count(inquiry.unit).public_rows(inquiry.neighbors)
    return read_answers(inquiry.arrangement, exact, public_rows)


def _count_exactly(rows: AskedRows, portion: Portion) -> Ints:
    """Return the exact numbers behind some answers that one noisy vector gives together.

    Numbers that cost nothing are public, and none are measured. Without a mechanism of noise
    the answers are chosen among candidates: then these are the numbers of the best ones.
    """
    if portion.way.cost is None:
        return np.zeros(0, np.int64)
    if portion.way.mechanism is None:  # each query of a choice comes with its budget
        priced_queries = choices(rows, portion.block, portion.way)
        return np.array([_first_best(query) for query, _ in priced_queries])
    return totals(rows, portion.block, portion.way).exact()


def _first_best(query: Query) -> int:
    """Return the number of the first candidate with the best score, from 0.

    If the query has ``sizes``, an entry of its scores stands for that many successive
    candidates.
    """
    best = int(query.exact().argmax())
    if query.sizes is None:
        return best
    return int(query.sizes[:best].sum())
