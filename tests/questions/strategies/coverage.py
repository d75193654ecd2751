"""How often intervals that are read off a strategy hold the truth: noise drawn on exact nodes.

Run as a script it prints the whole table: python -m tests.questions.strategies.coverage [runs]
"""

import sys
from collections.abc import Iterator
from itertools import product

import numpy as np
import pytest

from synth.arrays import Floats
from synth.errors import QuestionError
from synth.privacy.guarantee import Guarantee, Neighbors
from synth.questions import answers, totals
from synth.questions.inquiry import Inquiry
from synth.questions.reach import LEVEL
from synth.questions.totals import NoisyPortion
from synth.questions.way_names import WayName
from tests.questions.coverage import DOMAIN, EPSILONS, Case, Covered, drawn, some_rows, truths
from tests.questions.points import vectors

ASKED = {
    "prefixes": tuple(f"count where age < {age}" for age in range(20, 90, 5)),
    "ranges": tuple(f"count where age >= {a} and age < {a + 30}" for a in range(20, 60, 4)),
    "tables": ("table sex by job", "table sex by hours", "table job by age", "table sex"),
}
WAYS = {"hierarchy": (0, 1), "fitted": (0, 1), "marginals": (1,)}
"""Ways, and whether they are asked with a delta."""


class StrategyCase(Case):
    """Several questions, answered by one strategy."""

    @property
    def inquiry(self) -> Inquiry:
        way, delta = self.way.split("+")
        claim = Guarantee(self.epsilon, DELTA * int(delta))
        return Inquiry.of(ASKED[self.kind], DOMAIN, claim, self.neighbors, way=way)


DELTA = EPSILONS[1] / 10**6


def cases(neighbors: Neighbors | None = None) -> Iterator[StrategyCase]:
    """All that can be asked."""
    both = list(Neighbors) if neighbors is None else [neighbors]
    ways = [f"{way}+{delta}" for way, deltas in WAYS.items() for delta in deltas]
    for kind, way, epsilon, relation in product(ASKED, ways, EPSILONS, both):
        case = StrategyCase(kind, way, epsilon, relation)
        try:
            names = {portion.way.name for portion in case.inquiry.arrangement.portions}
        except QuestionError:
            continue
        if names == {WayName(way.split("+")[0])}:
            yield case


def covered(case: StrategyCase, runs: int) -> Covered:
    """How often the intervals of a case hold the truth."""
    inquiry, rows = case.inquiry, some_rows()
    public = len(rows) if case.neighbors is Neighbors.REPLACE_ONE else None
    hits = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(answers, "project_to_simplex", lambda raw, _: raw)
        for portion in inquiry.arrangement.portions:
            patch.setattr(totals.Totals, "_halves", dict[float, Floats]())  # one for all runs
            noise, names = portion.way.mechanism, portion.block.workload.universe.names
            assert noise is not None
            lines = [[row[n] for n in names] for row in rows]
            exact = vectors(portion.block, portion.way, lines).sum(axis=0)
            given = [NoisyPortion(portion, exact + one) for one in drawn(noise, runs, len(exact))]
            for reading in portion.block.readings:
                question = str(inquiry.questions[reading.question])
                true = np.array(truths(question, public=public is not None))
                found = [answers._answer(one, reading, public, LEVEL) for one in given]
                inside = [(one.low - 1e-9 <= true) & (true <= one.high + 1e-9) for one in found]
                hits += np.array(inside).sum(axis=0).tolist()
    return Covered(case, runs, min(hits), max(hits), 1.0, True)


if __name__ == "__main__":
    RUNS = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    table = []
    for each in cases():
        table.append(covered(each, RUNS))
        print(table[-1], flush=True)
    narrow = sum(not one.is_right for one in table)
    print("cases", len(table), "of", RUNS, "runs; too narrow:", narrow)
    print("least", min(table, key=lambda one: one.least))
