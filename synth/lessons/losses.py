"""The three definitions of the notes, by the exact privacy loss of one noisy histogram.
PUBLIC.

The loss is L = ln P(y)/Q(y), for y drawn from P, the noise on the cells that one person
moves. Nothing here reads a table.

>>> one = NoisyHistogram(what="one count", noise=DiscreteLaplace(Fraction(1)), cells=1)
>>> one.law.losses, one.law.masses.round(3)
(array([-1.,  1.]), array([0.269, 0.731]))
"""
# Pure privacy keeps L below epsilon; (epsilon, delta) keeps E max(0, 1 - e^(epsilon - L))
# below delta; rho-zCDP keeps the Renyi divergence of every order a > 1 below rho a.

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from synth.estimate import Record
from synth.lessons.drawing import line_picture
from synth.noise import CellNoise, DiscreteGaussian, DiscreteLaplace
from synth.privacy import (
    Guarantee,
    Neighbors,
    PrivacyLoss,
    Sensitivity,
    Unit,
    pure_rho,
    sum_up,
    zcdp_epsilon,
    zcdp_rho,
)
from synth.util import QUIET, REAL, SYNTHETIC, Floats, Picture, set_axes

_BARS, _POINTS = 100, 61


@dataclass(frozen=True, kw_only=True)
class NoisyHistogram:
    """One histogram of a release: its noise, and the cells that one person moves.

    Attributes:
        what: Its columns, in words.
        cells: Two if a person is replaced, otherwise one.
        move: Rows by which each of them moves.
    """

    what: str
    noise: CellNoise
    cells: int = 2
    move: int = 1

    @property
    def guarantee(self) -> Guarantee:
        moved = self.cells * self.move
        return self.noise.price(Sensitivity(moved, moved * self.move, self.move))

    @property
    def rho(self) -> float:
        """Its rho; for Laplace noise the least rho of every mechanism with its epsilon."""
        told = self.guarantee
        return (
            pure_rho(float(told.epsilon))
            if told.epsilon is not None
            else float(told.rho or 0)
        )

    @cached_property
    def law(self) -> PrivacyLoss:
        return self.noise.number_law.loss(self.cells, self.move)

    def renyi(self, order: float) -> float:
        """Return the Renyi divergence of an order above 1, for the worst neighbours."""
        return self.noise.number_law.renyi(order, self.cells, self.move)


@dataclass(frozen=True)
class JointLoss:
    """Several histograms of one release, with independent noise, whose losses add up."""

    what: str
    parts: tuple[NoisyHistogram, ...]

    @property
    def guarantee(self) -> Guarantee:
        total = sum_up([part.guarantee for part in self.parts])
        assert total is not None
        return total

    @property
    def rho(self) -> float:
        return math.fsum(part.rho for part in self.parts)

    @cached_property
    def law(self) -> PrivacyLoss:
        """The law of the sum of their losses, each rounded up, by 0.5 % of the sum at most.

        A pure sum is capped at its epsilon, which no loss exceeds.
        """
        pure = self.guarantee.epsilon
        whole = math.sqrt(2 * self.rho) if pure is None else float(pure)
        grid, masses, first = whole / (200 * len(self.parts)), np.ones(1), 0
        for part in self.parts:
            steps = np.ceil(part.law.losses / grid - 1e-9).astype(np.int64)
            one = np.bincount(steps - steps[0], weights=part.law.masses)
            masses, first = np.convolve(masses, one), first + int(steps[0])
        most = math.inf if pure is None else whole
        losses: Floats = np.minimum((np.arange(masses.size) + first) * grid, most)
        keep = masses > 0
        return PrivacyLoss(losses[keep], masses[keep])

    def renyi(self, order: float) -> float:
        return math.fsum(part.renyi(order) for part in self.parts)


Noisy = NoisyHistogram | JointLoss


def noisy_parts(record: Record, unit: Unit) -> list[Noisy]:
    """Return all measured histograms of a release, without choices and distances, then each
    of them."""
    found = noisy_histograms(record, unit)
    together = JointLoss(f"all {len(found)} histograms", tuple(found))
    return [together, *found] if len(found) > 1 else [*found]


def noisy_histograms(record: Record, unit: Unit) -> list[NoisyHistogram]:
    """Return the histograms that a release measured, in order."""
    cells = 2 if record.neighbors is Neighbors.REPLACE_ONE else 1
    if record.scale is not None:
        noise = DiscreteLaplace(record.scale)
        return [
            NoisyHistogram(what="all columns", noise=noise, cells=cells, move=unit.max_rows)
        ]
    return [
        NoisyHistogram(
            what=" × ".join(spend.columns),
            noise=spend.mechanism.cell_noise,
            cells=cells,
            move=unit.max_rows,
        )
        for spend in record.spends
        if spend.columns and spend.mechanism and not spend.mechanism.is_joint
    ]


def loss_law(one: Noisy, epsilon: float) -> Picture:
    """Draw the probability of every privacy loss; those above an epsilon are marked."""
    law = one.law
    losses, masses = (
        _group_losses(law) if law.losses.size > _BARS else (law.losses, law.masses)
    )
    over = losses > epsilon * (1 + 1e-9)
    figure = go.Figure()
    for name, color, part in (
        ("up to epsilon", REAL, ~over),
        ("above epsilon", SYNTHETIC, over),
    ):
        hover = "loss %{x:.4~g}<br>chance %{y:.4~g}<extra></extra>"
        bars = go.Bar(x=losses[part], y=masses[part], name=name, marker_color=color)
        figure.add_trace(bars.update(hovertemplate=hover))
    set_axes(figure, x="privacy loss", y="chance", height=320)
    figure.update_layout(barmode="overlay")
    figure.add_vline(x=epsilon, line={"color": QUIET, "dash": "dot"})
    largest = f"{law.losses[-1]:.4g}" if one.guarantee.rho is None else "unbounded"
    mean = math.fsum(law.losses * law.masses)
    alt = (
        f"Law of the privacy loss of the noise on {one.what}. Mean {mean:.4g}, largest "
        f"{largest}; the chance of a loss above epsilon {epsilon:.4g} is "
        f"{exceedance(law, epsilon):.3g}."
    )
    return Picture(figure, alt, pd.DataFrame({"privacy loss": losses, "chance": masses}))


def delta_curve(one: Noisy, epsilon: float) -> Picture:
    """Draw the least delta at every epsilon, and the probability of a larger loss."""
    law = one.law
    own = one.guarantee.epsilon
    reach = 1.25 * (float(own) if own is not None else zcdp_epsilon(one.rho, 1e-9))
    tops = {reach, max(reach, 1.25 * epsilon)}
    e = np.unique(
        np.concatenate([np.linspace(0, top, _POINTS) for top in tops] + [[epsilon]])
    )
    delta = np.array([law.delta(float(x)) for x in e])
    chance = np.array([exceedance(law, float(x)) for x in e])
    curves = {"P(loss > epsilon)": _positive(chance), "delta": _positive(delta)}
    over, least = exceedance(law, epsilon), _least_delta(law, epsilon)
    alt = (
        f"What remains above each epsilon for {one.what}. At epsilon {epsilon:.4g} the "
        "chance of a "
        f"larger loss is {over:.3g} and the least delta {least:.3g}"
        f"{': a delta of the first is enough, not necessary' if least else ''}."
    )
    picture = line_picture(e, curves, alt, x="epsilon", y="chance, delta (log scale)")
    picture.figure.update_yaxes(type="log", range=[-12, 0.1], exponentformat="power")
    picture.figure.add_vline(x=epsilon, line={"color": QUIET, "dash": "dot"})
    return picture


def renyi_curve(one: Noisy) -> Picture:
    """Draw the Renyi divergence of every order, and the line rho a that zCDP allows."""
    orders = np.geomspace(1.05, 64, _POINTS)
    found = np.array([one.renyi(float(a)) for a in orders])
    curves: dict[str, Floats] = {
        "this noise": found,
        "allowed by zCDP: rho × a": one.rho * orders,
    }
    pure = one.guarantee.epsilon
    bound = ""
    if pure is not None:
        curves["allowed by pure: epsilon"] = np.full(orders.size, float(pure))
        bound = (
            f" It never passes epsilon {float(pure):.4g}: pure privacy is the stronger "
            "promise."
        )
    alt = (
        f"Renyi divergence of {one.what} against the order. At order 2 it is "
        f"{one.renyi(2.0):.4g}; zCDP with rho {one.rho:.4g} allows {2 * one.rho:.4g}.{bound}"
    )
    picture = line_picture(orders, curves, alt, x="order a (log scale)", y="divergence")
    picture.figure.update_xaxes(type="log", tickvals=[2, 4, 8, 16, 32, 64])
    return picture


def exceedance(law: PrivacyLoss, epsilon: float) -> float:
    """Return P(loss > epsilon); a loss equal up to its last bits counts as equal."""
    return law.exceeds(epsilon + 1e-9 * max(1.0, epsilon))


def _least_delta(law: PrivacyLoss, epsilon: float) -> float:
    return law.delta(epsilon) if exceedance(law, epsilon) else 0.0


def _positive(values: Floats) -> Floats:
    return np.where(values > 1e-15, values, np.nan)


def _group_losses(law: PrivacyLoss) -> tuple[Floats, Floats]:
    # Equal bars, out to five deviations.
    mean = math.fsum(law.losses * law.masses)
    reach = 5 * math.sqrt(math.fsum((law.losses - mean) ** 2 * law.masses))
    near = np.abs(law.losses - mean) <= reach
    losses, masses = law.losses[near], law.masses[near]
    starts = np.arange(0, losses.size, math.ceil(losses.size / _BARS))
    sums = np.add.reduceat(masses, starts)
    return np.add.reduceat(masses * losses, starts) / sums, sums


def example(epsilon: Fraction, delta: Fraction) -> NoisyHistogram:
    """Return a histogram of no release: Laplace noise without a delta, Gaussian noise with
    one.
    """
    if not delta:
        return NoisyHistogram(
            what="a histogram", noise=DiscreteLaplace.for_epsilon(epsilon, sensitivity=2)
        )
    rho = zcdp_rho(epsilon, delta)
    return NoisyHistogram(
        what="a histogram", noise=DiscreteGaussian.for_rho(rho, sensitivity2=2)
    )
