"""Errors of many counts by the way that is taken, beside every other way, as they were measured.

    PYTHONPATH=. python tests/bench/bench_strategies.py [--runs N]

Three workloads, counted once, each answered many times with fresh noise at epsilon 1 under
add-remove: 120 prefix counts of two columns, all 32,896 range counts of 256 cells, and all two-way
tables of Adult's 14 columns, at a delta of 1e-9 (left out where ../shared is absent). Errors are
root mean squared, in rows, of the estimates before these are cut to what can be. Ways that do not
answer a workload, or whose joint sensitivity would take too long to find, are given by their
exact law: Laplace and Gaussian noise on each count has the deviation of its sensitivity, of which
the count of ranges that hold one cell is reached (the middle one).

The published optima: of ranges under Laplace noise p-identity matrices by gradient descent from
five random starts, as HDMM finds them (McKenna and others 2018, section 5, p = n / 16), of ranges
under Gaussian noise the singular value bound, below which no strategy is (Li, Miklau 2013); of
tables the closed form of ResidualPlanner on the declared cells (Xiao and others 2023).
"""

import argparse
import math
from fractions import Fraction
from itertools import combinations
from typing import NamedTuple

import numpy as np

from synth.arrays import Floats
from synth.domain.domain import Domain, Integer
from synth.domain.table_schema import read_schema
from synth.noise.gaussian import DiscreteGaussian
from synth.noise.laplace import DiscreteLaplace
from synth.noise.mechanism import Mechanism
from synth.privacy.accounting import zcdp_rho
from synth.privacy.guarantee import Guarantee, Neighbors, Unit
from synth.questions.arrangement import Portion
from synth.questions.inquiry import Inquiry
from synth.questions.strategies.closed_form import least_variance
from synth.questions.strategies.descent import descend
from synth.questions.strategies.fitted import _Badness, fit_sums, sums_for
from synth.questions.strategies.hierarchy import best_hierarchy
from synth.questions.totals import Totals
from synth.questions.way_names import WayName
from tests.tables import SHARED

EPSILON, DELTA = Fraction(1), Fraction(1, 10**9)
RHO = zcdp_rho(EPSILON, DELTA)
ADULT = SHARED / "adult" / "domain.schema.json"
WAYS = (WayName.LAPLACE, WayName.GAUSSIAN, WayName.HISTOGRAM, WayName.HIERARCHY)
DOUBT = 3
"""Standard errors within which two measured errors are alike."""


class Measured(NamedTuple):
    """A root mean squared error, and its standard error."""

    error: float
    doubt: float


def measured(errors: Floats) -> Measured:
    """From errors of shape (runs, numbers), the runs being independent."""
    squares = (errors**2).mean(axis=1)
    root = math.sqrt(squares.mean())
    return Measured(root, float(squares.std() / math.sqrt(len(squares))) / (2 * root))


def of_portions(portions: tuple[Portion, ...], runs: int) -> Measured:
    """Errors of what is read off noise on rows that are none, which any rows would add to."""
    found = [[_noise(portion) for portion in portions] for _ in range(runs)]
    return measured(np.array([np.concatenate(one) for one in found]))


def _noise(portion: Portion) -> Floats:
    """The errors of the totals of a portion, from the noise that a door would draw."""
    way = portion.way
    assert way.mechanism is not None
    size = portion.block.size if way.cells is None else way.cells.tally.size
    size = size if way.strategy is None else way.strategy.size
    return Totals.of(portion, way.mechanism.release(np.zeros(size, np.int64))).values


def asked(
    name: str, questions: list[str], domain: Domain, guarantee: Guarantee, runs: int
) -> tuple[bool, Measured]:
    """Ask by the best way and by every other; whether the best is no worse."""
    print(f"{name}, {guarantee}", flush=True)
    inquiry = Inquiry.of(questions, domain, guarantee, Neighbors.ADD_REMOVE)
    taken = inquiry.arrangement.portions
    own = of_portions(taken, runs)
    words = ", ".join(sorted({portion.way.name.value for portion in taken}))
    print(f"  taken: {words:20} {own.error:10.3f} ± {own.doubt:.3f}", flush=True)
    good = True
    for way in WAYS:
        try:
            other = of_portions(inquiry.by(way).arrangement.portions, runs)
        except Exception as error:  # noqa: BLE001
            print(f"  {way.value:27} {error}"[:90])
            continue
        good &= own.error <= other.error + DOUBT * math.hypot(own.doubt, other.doubt)
        print(f"  {way.value:27} {other.error:10.3f} ± {other.doubt:.3f}", flush=True)
    return good, own


def prefixes(runs: int) -> bool:
    """120 prefix counts of two columns."""
    domain = Domain(tuple(Integer(name=name, minimum=0, maximum=60) for name in ("a", "b")))
    questions = [f"count where {name} < {at}" for name in ("a", "b") for at in range(1, 61)]
    good = True
    for guarantee in (Guarantee.pure(EPSILON), Guarantee.zcdp(RHO)):
        good &= asked("120 prefix counts of two columns", questions, domain, guarantee, runs)[0]
    return good


def ranges(runs: int) -> tuple[bool, float]:
    """All range counts of 256 cells, as a workload of its strategies; and how near the optimum."""
    cells = np.arange(256)
    wanted = np.array([(a <= cells) & (cells <= b) for a in cells for b in cells[a:]], float)
    good, worst = True, 0.0
    most = int(wanted.sum(axis=0).max())  # by a row of the middle cell
    for squared in (False, True):
        cost = Guarantee.zcdp(RHO) if squared else Guarantee.pure(EPSILON)
        print(f"all range counts of 256 cells, {cost}", flush=True)
        sums = sums_for(*wanted.shape, squared=squared)
        assert sums is not None
        fitted = fit_sums(wanted, sums, squared=squared)
        tree = best_hierarchy(wanted[::129], cost, Neighbors.ADD_REMOVE, Unit(), grain=1024)
        own = _by_design(fitted, wanted, _drawn(fitted.moves.alone, cost), runs)
        others = {
            "hierarchy": _by_design(tree, wanted, _drawn(tree.moves.alone, cost), runs),
            "histogram": _by_cells(wanted, _drawn((1, 1, 1), cost), runs),
            "each by itself": _alone(len(wanted), _drawn((most, most, 1), cost), runs),
        }
        optimum = _bound(wanted) / math.sqrt(2 * float(RHO)) if squared else _random_fits(wanted)
        print(f"  {'fitted':20} {own.error:10.3f} ± {own.doubt:.3f}")
        for name, other in others.items():
            good &= own.error <= other.error + DOUBT * math.hypot(own.doubt, other.doubt)
            print(f"  {name:20} {other.error:10.3f} ± {other.doubt:.3f}")
        print(
            f"  {'published optimum':20} {optimum:10.3f}, ratio {own.error / optimum:.3f}",
            flush=True,
        )
        worst = max(worst, own.error / optimum)
    return good, worst


def _drawn(norms: tuple[int, int, int], cost: Guarantee) -> Mechanism:
    if cost.rho is not None:
        return DiscreteGaussian(norms[1] / (2 * cost.rho))
    return DiscreteLaplace(norms[0] / EPSILON)


def _by_design(design: object, wanted: Floats, noise: Mechanism, runs: int) -> Measured:
    estimates = [
        wanted @ design.consistent(noise.release(np.zeros(design.size, np.int64)))  # type: ignore[attr-defined]
        for _ in range(runs)
    ]
    return measured(np.array(estimates))


def _by_cells(wanted: Floats, noise: Mechanism, runs: int) -> Measured:
    cells = np.zeros(wanted.shape[1], np.int64)
    return measured(np.array([wanted @ noise.release(cells) for _ in range(runs)], float))


def _alone(size: int, noise: Mechanism, runs: int) -> Measured:
    runs = min(runs, 20)
    return measured(noise.release(np.zeros((runs, size), np.int64)).astype(float))


def _random_fits(wanted: Floats) -> float:
    """The least error of p-identity matrices under Laplace noise, from five random starts."""
    products = wanted.T @ wanted
    values, vectors = np.linalg.eigh(products)
    badness = _Badness(np.sqrt(np.maximum(values, 0))[:, None] * vectors.T, squared=False)
    random = np.random.default_rng(1)
    starts = [np.sqrt(random.random((wanted.shape[1] // 16, wanted.shape[1]))) for _ in range(5)]
    least = min(badness(descend(badness, start, 600))[0] for start in starts)
    return math.sqrt(2 * least / len(wanted)) / float(EPSILON)


def _bound(wanted: Floats) -> float:
    """The singular value bound of the root mean squared error at a squared L2 sensitivity of 1."""
    values = np.linalg.svd(wanted.T @ wanted, compute_uv=False)
    return float(np.sqrt(values).sum()) / math.sqrt(wanted.shape[1] * len(wanted))


def tables(runs: int) -> tuple[bool, float]:
    """All two-way tables of Adult's columns but the weights; and how near the closed form."""
    if not ADULT.is_file():
        return True, 1.0
    domain = read_schema(ADULT)
    names = [name for name in domain.names if name != "fnlwgt"]
    questions = [f'table "{a}" by "{b}"' for a, b in combinations(names, 2)]
    guarantee = Guarantee.approximate(EPSILON, DELTA)
    good, own = asked("all two-way tables of 14 columns", questions, domain, guarantee, runs)
    sizes = [len(domain[name].titles) for name in names]
    pairs = list(combinations(range(len(names)), 2))
    cells = sum(sizes[a] * sizes[b] for a, b in pairs)
    optimum = math.sqrt(least_variance(pairs, sizes) / (2 * float(RHO) * cells))
    print(f"  {'closed form':27} {optimum:10.3f}, ratio {own.error / optimum:.3f}", flush=True)
    return good, own.error / optimum


def main() -> None:
    options = argparse.ArgumentParser(description="Errors of strategies beside other ways.")
    options.add_argument("--runs", type=int, default=200)
    runs = options.parse_args().runs
    first = prefixes(runs)
    second, near = ranges(runs)
    third, close = tables(runs)
    right = first and second and third and near <= 1.1 and close <= 1.05
    print(
        f"{'right' if right else 'WRONG'}: error at most that of the best other way: "
        f"{first and second and third}; ranges {near:.3f} of the published optimum (1.1), tables "
        f"{close:.3f} of the closed form (1.05)"
    )


if __name__ == "__main__":
    main()
