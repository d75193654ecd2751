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


def real_answers(asked: Asked, table: PrivateTable) -> list[Answer]:
    """Return the answers without noise, in the order of the questions."""
    rows = asked_rows(asked.inquiry, table, Engine.DUCKDB)
    exact = tuple(_exact(rows, portion) for portion in asked.inquiry.arrangement.portions)
    number = rows.count(asked.inquiry.unit).public_rows(asked.inquiry.neighbors)
    return read_answers(asked.inquiry.arrangement, exact, number)


def _exact(rows: AskedRows, portion: Portion) -> Ints:
    if portion.way.cost is None:
        return np.zeros(0, np.int64)
    if portion.way.mechanism is None:
        asked = choices(rows, portion.block, portion.way)
        return np.array([_first_best(query) for query, _ in asked])
    return totals(rows, portion.block, portion.way).exact()


def _first_best(query: Query) -> int:
    best = int(query.exact().argmax())
    return best if query.sizes is None else int(query.sizes[:best].sum())
