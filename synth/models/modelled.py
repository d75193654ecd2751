"""The public record of a release by marginals: measured, paid, and how sure it is."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from synth.budget import terms
from synth.domain import Domain
from synth.models.denoise import Estimate
from synth.models.junction import Clique
from synth.models.session import Session, Spend
from synth.models.strategies import Fitted, Strategy
from synth.noise.gaussian import DiscreteGaussian
from synth.noise.laplace import DiscreteLaplace
from synth.noisy import NoisyMarginal
from synth.privacy import Guarantee, Neighbors


@dataclass(frozen=True)
class Bar:
    """How far a pair of the synthetic table is expected to be from the real one. PUBLIC.

    Attributes:
        names: The two columns.
        measured: Whether the pair was measured itself.
        expected: Expected total variation.
    """

    names: tuple[str, ...]
    measured: bool
    expected: float


@dataclass(frozen=True, eq=False)
class Modelled:
    """The public record of a release by marginals.

    Attributes:
        domain: The declared columns.
        neighbors: The relation of the guarantee.
        charged: What the ledger was charged.
        spent: What was spent of it: epsilon, or rho.
        strategy: The strategy that was followed.
        total: Rows the table is believed to have.
        rows: The number of rows where it is public, else None.
        measured: Every noisy marginal, in the order they were measured.
        spends: Every payment, in order.
        bars: Expected error of every pair the model speaks of, largest first.
    """

    domain: Domain
    neighbors: Neighbors
    charged: Guarantee
    spent: Guarantee
    strategy: Strategy
    total: float
    rows: int | None
    measured: tuple[tuple[Clique, NoisyMarginal], ...]
    spends: tuple[Spend, ...]
    bars: tuple[Bar, ...]

    def describe(self) -> dict[str, Any]:
        """Strategy, marginals and exact spends, for the certificate."""
        return {
            "name": "noisy marginals joined by a model",
            "strategy": self.strategy.value,
            "accounting": "pure epsilon" if self.spent.rho is None else "zero-concentrated (zCDP)",
            "spent": terms(self.spent),
            "marginals": [_spend(spend) for spend in self.spends],
            "sampler": "exact inversion on the operating system's randomness",
        }


def record(session: Session, fitted: Fitted, domain: Domain, charged: Guarantee) -> Modelled:
    """Gather the record of a finished session."""
    spent = session.spent
    return Modelled(
        domain,
        session.account.neighbors,
        charged,
        spent,
        fitted.strategy,
        fitted.total,
        session.measured[0][1].rows,
        tuple(session.measured),
        tuple(session.spends),
        error_bars(session, fitted),
    )


def error_bars(session: Session, fitted: Fitted) -> tuple[Bar, ...]:
    """Expected total variation of every pair the model speaks of.

    A measured pair is off by what its posterior leaves open (the mean size of a normal error is
    sqrt(2 / pi) of its deviation). Of another only its measured distance from independence is
    known, which the model can at best explain.
    """
    seen = {clique for clique, _ in session.measured}
    bars = []
    for pair, estimate in fitted.estimates.items():
        names = tuple(session.names[column] for column in pair)
        bars.append(Bar(names, pair in seen, _expected(session, pair, estimate, pair in seen)))
    return tuple(sorted(bars, key=lambda bar: -bar.expected))


def _expected(session: Session, pair: Clique, estimate: Estimate, measured: bool) -> float:
    if measured:
        rows = math.sqrt(2 / math.pi) * float(np.sqrt(estimate.variance).sum())
    else:
        rows = session.distances.get(pair, 0.0)
    return min(1.0, rows / (2 * max(session.total, 1.0)))


def _spend(spend: Spend) -> dict[str, Any]:
    columns = {"columns": list(spend.columns)} if spend.columns else {}
    return {"what": spend.what, **columns, "cost": terms(spend.cost), "noise": _noise(spend)}


def _noise(spend: Spend) -> dict[str, str]:
    match spend.mechanism:
        case None:
            pure = spend.cost.rho is None
            return {"law": "permute-and-flip" if pure else "exponential mechanism"}
        case DiscreteLaplace(scale=scale):
            return {"law": "discrete Laplace", "scale": str(scale)}
        case DiscreteGaussian(sigma2=sigma2):
            return {"law": "discrete Gaussian", "sigma2": str(sigma2)}
    raise TypeError(spend.mechanism)
