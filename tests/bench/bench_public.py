"""A public table as the guess: right, old and wrong ones, beside the table as it stands.

    OMP_NUM_THREADS=1 PYTHONPATH=. python tests/bench/bench_public.py [TABLE ...] [--releases N]

Mean total variation over all pairs of columns, neighbours add-remove. *As it stands* is what
publishing the public table would give, *without* what `auto` gives without it, *with* what it gives
around it. *Right* are other rows of the same people, *old* ones drift (for ``ma`` the year
before), *wrong* ones are a part of the people only, or have no links between columns. No constant
is fitted to the tables of ``ASIDE``. The ratio is *with* over the better of the other two; the
bound of its median is one-sided at 95 %, by resampling. It needs the tables in ``../shared/data``.
"""

import argparse
import csv
from collections.abc import Callable
from fractions import Fraction
from itertools import combinations
from typing import NamedTuple

import numpy as np

from synth.arrays import Codes
from synth.counting.counts import CodedRows
from synth.domain.domain import Categorical, Domain
from synth.door import Door
from synth.ledger.ledger import Ledger
from synth.models.choice import Choice
from synth.models.names import Strategy
from synth.models.public_guess import PublicGuess
from synth.models.run import release_model
from synth.privacy.guarantee import Neighbors, parse_epsilon
from tests.bench.tables import adult, declared
from tests.tables import SHARED

DELTA = Fraction(1, 10**9)
ASIDE = ("bank", "fulton")
CELLS = 12
"""Most cells of a column that a script cuts."""
GOALS = {"0.1": 0.030, "1": 0.021, "10": 0.0105}
"""Of ``ma`` with the year before, pure."""

Columns = list[Codes]


class Pair(NamedTuple):
    """A table and its public guesses by name."""

    rows: CodedRows
    guesses: dict[str, Columns]


def by_year() -> Pair:
    """Massachusetts 2019, and 2018."""
    schema = "sdnist_ma/domain_10col.schema.json"
    rows = declared(schema, "sdnist_ma/ma2019.csv")
    old = declared(schema, "sdnist_ma/ma2018.csv").codes
    return Pair(rows, {"old": old, **_wrong(old)})


def halves(rows: CodedRows) -> Pair:
    """One half of a table at random, and the other."""
    order = np.random.default_rng(15).permutation(len(rows.codes[0]))
    real, other = np.array_split(order, 2)
    mine, right = ([column[part] for column in rows.codes] for part in (real, other))
    kept = CodedRows(rows.domain, mine, len(real))
    return Pair(kept, {"right": right, "old": _drifted(right), **_wrong(right)})


def _drifted(rows: Columns) -> Columns:
    """Rows that come twice as often where a column is in its upper half, for two columns."""
    weight = np.ones(len(rows[0]))
    for column in rows[:2]:
        weight *= 1 + (column > np.median(column))
    drawn = np.random.default_rng(16).choice(len(weight), size=len(weight), p=weight / weight.sum())
    return [column[drawn] for column in rows]


def _wrong(rows: Columns) -> dict[str, Columns]:
    """The lower half by the first column; and rows without links."""
    part = rows[0] <= np.median(rows[0])
    generator = np.random.default_rng(17)
    return {
        "part": [column[part] for column in rows],
        "unlinked": [generator.permutation(column) for column in rows],
    }


def cut(path: str) -> CodedRows:
    """A table whose columns are cut by a script: numbers at quantiles, texts at the rarest."""
    with (SHARED / path).open(newline="", encoding="utf-8") as file:
        header, *lines = csv.reader(file)
    listed = zip(header, zip(*lines, strict=True), strict=True)
    columns = {name: _cut(np.array(texts)) for name, texts in listed}
    kept = {name: codes for name, codes in columns.items() if codes.max() > 0}
    declared = tuple(
        Categorical(name=name, categories=tuple(map(str, range(codes.max() + 1))))
        for name, codes in kept.items()
    )
    return CodedRows(Domain(declared), [*kept.values()], len(lines))


def _cut(texts: np.ndarray) -> Codes:
    values, codes = np.unique(texts, return_inverse=True)
    if len(values) <= CELLS:
        return codes.astype(np.int32)
    try:
        numbers = texts.astype(float)
    except ValueError:
        rank = np.argsort(np.argsort(-np.bincount(codes), kind="stable"))
        return np.minimum(rank[codes], CELLS - 1).astype(np.int32)
    edges = np.unique(np.quantile(numbers, np.linspace(0, 1, CELLS + 1)[1:-1]))
    return np.searchsorted(edges, numbers, side="right").astype(np.int32)


TABLES: dict[str, Callable[[], Pair]] = {
    "ma": by_year,
    "adult": lambda: halves(adult()),
    "bank": lambda: halves(cut("bank_marketing/bank.csv")),
    "fulton": lambda: halves(cut("pums/FultonPUMS5full.csv")),
}


def distance(rows: CodedRows, codes: Columns) -> float:
    """Mean total variation over all pairs."""
    shape, found = rows.domain.shape, []
    for a, b in combinations(range(len(shape)), 2):
        p, q = (
            np.bincount(c[a].astype(np.int64) * shape[b] + c[b], minlength=shape[a] * shape[b])
            / max(len(c[a]), 1)
            for c in (rows.codes, codes)
        )
        found.append(np.abs(p - q).sum() / 2)
    return float(np.mean(found))


def released(rows: CodedRows, public: Columns | None, epsilon: str, delta: Fraction) -> float:
    """The error of one release."""
    choice = Choice(Strategy.AUTO, delta)
    door = Door(
        ledger=Ledger(),
        dataset="bench",
        neighbors=Neighbors.ADD_REMOVE,
        guarantee=choice.guarantee(parse_epsilon(epsilon)),
        purpose="bench",
    )
    guess = None
    if public is not None:
        codes = {a: np.asarray(column, dtype=np.int32) for a, column in enumerate(public)}
        guess = PublicGuess(rows.domain.shape, codes, len(public[0]))
    _, drawn, _ = release_model(choice, rows, door, wanted=None, public=guess)
    return distance(rows, drawn)


def told(name: str, ratios: dict[str, float]) -> None:
    """The median ratio, its bound, and the worst."""
    if not ratios:
        return
    values = np.array([*ratios.values()])
    drawn = np.random.default_rng(1).choice(values, size=(4000, len(values)))
    bound = np.quantile(np.median(drawn, axis=1), 0.95)
    worst = max(ratios, key=ratios.__getitem__)
    print(
        f"{name}: over {len(values)} cases the median ratio to the better of both is "
        f"{np.median(values):.3f}, at most {bound:.3f} (95 %); worst {ratios[worst]:.2f} ({worst})."
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tables", nargs="*", default=[*TABLES])
    parser.add_argument("--releases", type=int, default=5)
    parser.add_argument("--epsilons", default="0.1,1,10")
    parser.add_argument("--pure", action="store_true", help="without delta")
    options = parser.parse_args()
    if not SHARED.exists():
        print("The tables are not there; nothing was measured.")
        return
    ratios: dict[str, float] = {}
    print("table   delta  eps   guess      as it stands  without    with   ratio")
    for name in options.tables:
        rows, guesses = TABLES[name]()
        for delta in (Fraction(0),) if options.pure else (Fraction(0), DELTA):
            for epsilon in options.epsilons.split(","):

                def mean(
                    public: Columns | None,
                    rows: CodedRows = rows,
                    epsilon: str = epsilon,
                    delta: Fraction = delta,
                ) -> float:
                    made = (released(rows, public, epsilon, delta) for _ in range(options.releases))
                    return float(np.mean([*made]))

                alone = mean(None)
                for kind, public in guesses.items():
                    stands, found = distance(rows, public), mean(public)
                    ratio = found / min(stands, alone)
                    ratios[f"{name} {float(delta):g} {epsilon} {kind}"] = ratio
                    print(
                        f"{name:7} {float(delta):<6g} {epsilon:5} {kind:10} {stands:12.4f} "
                        f"{alone:8.4f} {found:7.4f} {ratio:7.2f}",
                        flush=True,
                    )
    _judge(ratios)


def _judge(ratios: dict[str, float]) -> None:
    """Ratios of good guesses and wrong ones, tables that nothing is fitted to apart."""
    for kinds, what in ((("right", "old"), "Good guesses"), (("part", "unlinked"), "Wrong ones")):
        for aside in (False, True):
            chosen = {
                case: ratio
                for case, ratio in ratios.items()
                if case.split()[-1] in kinds and (case.split()[0] in ASIDE) == aside
            }
            told(f"{what}{', tables kept aside' * aside}", chosen)
    told("All", ratios)


if __name__ == "__main__":
    main()
