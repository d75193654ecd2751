"""The three definitions of the notes, by the exact privacy loss of one noisy histogram.
PUBLIC.

The loss is L = ln P(y)/Q(y), for y drawn from P, the noise on the cells that one person
moves. Nothing here reads a table.

>>> one = NoisyHistogram(label="one count", noise=DiscreteLaplace(Fraction(1)), cells=1)
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

# Most bars of a law, and points of a curve.
_BARS = 100
_POINTS = 61


@dataclass(frozen=True, kw_only=True)
class NoisyHistogram:
    """One histogram of a release: its noise, and the cells that one person moves.

    Attributes:
        label: Its columns, in words.
        noise: The noise on each cell.
        cells: Two if a person is replaced, otherwise one.
        move: Rows by which each of them moves.
    """

    label: str
    noise: CellNoise
    cells: int = 2
    move: int = 1

    @property
    def guarantee(self) -> Guarantee:
        """The guarantee of its noise."""
        moved_rows = self.cells * self.move
        # Sensitivities in L1, squared L2 and L-infinity: each cell moves by `move` rows.
        return self.noise.price(Sensitivity(moved_rows, moved_rows * self.move, self.move))

    @property
    def rho(self) -> float:
        """The rho of zCDP of its noise.

        For Laplace noise it is the least rho that every mechanism with its epsilon has
        (`pure_rho`).
        """
        guarantee = self.guarantee
        if guarantee.epsilon is not None:
            return pure_rho(float(guarantee.epsilon))
        return float(guarantee.rho or 0)

    @cached_property
    def law(self) -> PrivacyLoss:
        """Return the law of its privacy loss."""
        return self.noise.number_law.loss(self.cells, self.move)

    def renyi(self, order: float) -> float:
        """Return the Renyi divergence of an order above 1, for the worst neighbours."""
        return self.noise.number_law.renyi(order, self.cells, self.move)


@dataclass(frozen=True)
class JointLoss:
    """Several histograms of one release, with independent noise, whose losses add up.

    Attributes:
        label: The histograms, in words.
        parts: The histograms.
    """

    label: str
    parts: tuple[NoisyHistogram, ...]

    @property
    def guarantee(self) -> Guarantee:
        """The guarantee of all the histograms together: the sum of their guarantees."""
        total = sum_up([part.guarantee for part in self.parts])
        assert total is not None  # there is at least one histogram
        return total

    @property
    def rho(self) -> float:
        """Return the sum of the histograms' rhos."""
        return math.fsum(part.rho for part in self.parts)

    @cached_property
    def law(self) -> PrivacyLoss:
        """The law of the sum of the histograms' privacy losses, which are independent.

        Losses are rounded up to a grid. Together that is at most 0.5 % of the epsilon, or of
        the deviation of a normal loss with this rho. A pure sum is capped at its epsilon,
        which no loss exceeds.
        """
        pure = self.guarantee.epsilon
        scale = math.sqrt(2 * self.rho) if pure is None else float(pure)
        grid = scale / (200 * len(self.parts))
        # Chances of the sums, in steps of the grid from ``first_step`` up.
        masses = np.ones(1)
        first_step = 0
        for part in self.parts:
            # Losses on the grid up to rounding errors stay there.
            steps = np.ceil(part.law.losses / grid - 1e-9).astype(np.int64)
            part_masses = np.bincount(steps - steps[0], weights=part.law.masses)
            masses = np.convolve(masses, part_masses)
            first_step += int(steps[0])
        largest = math.inf if pure is None else scale
        losses: Floats = np.minimum((np.arange(masses.size) + first_step) * grid, largest)
        is_possible = masses > 0
        return PrivacyLoss(losses[is_possible], masses[is_possible])

    def renyi(self, order: float) -> float:
        """Return the Renyi divergence of an order above 1, which adds up."""
        return math.fsum(part.renyi(order) for part in self.parts)


Noisy = NoisyHistogram | JointLoss


def noisy_parts(record: Record, unit: Unit) -> list[Noisy]:
    """Return all measured histograms of a release together, then each of them.

    A single histogram is returned once. Choices and distances are not part of it.

    Args:
        record: The public record of a release.
        unit: What it protects; it says how many rows of one person count at most.
    """
    histograms = noisy_histograms(record, unit)
    if len(histograms) < 2:
        return [*histograms]
    label = f"all {len(histograms)} histograms"
    return [JointLoss(label, tuple(histograms)), *histograms]


def noisy_histograms(record: Record, unit: Unit) -> list[NoisyHistogram]:
    """Return the histograms that a release measured, in order.

    Args:
        record: The public record of a release.
        unit: What it protects; it says how many rows of one person count at most.
    """
    # A replaced person leaves one cell and enters another.
    cells = 2 if record.neighbors is Neighbors.REPLACE_ONE else 1
    if record.scale is not None:  # one histogram of all columns
        noise = DiscreteLaplace(record.scale)
        return [
            NoisyHistogram(label="all columns", noise=noise, cells=cells, move=unit.max_rows)
        ]
    return [
        NoisyHistogram(
            label=" × ".join(spend.columns),
            noise=spend.mechanism.cell_noise,
            cells=cells,
            move=unit.max_rows,
        )
        for spend in record.spends
        # Payments for histograms name columns, and their noise is independent for each cell.
        if spend.columns and spend.mechanism and not spend.mechanism.is_joint
    ]


def loss_law(noisy: Noisy, epsilon: float) -> Picture:
    """Return a picture of the probability of every privacy loss.

    Args:
        noisy: A noisy histogram, or several together.
        epsilon: Losses above it have another colour.
    """
    law = noisy.law
    losses = law.losses
    masses = law.masses
    if losses.size > _BARS:
        losses, masses = _group_losses(law)
    is_above = losses > epsilon * (1 + 1e-9)  # equal up to rounding errors is not above
    figure = go.Figure()
    for name, color, is_drawn in (
        ("up to epsilon", REAL, ~is_above),
        ("above epsilon", SYNTHETIC, is_above),
    ):
        hover = "loss %{x:.4~g}<br>chance %{y:.4~g}<extra></extra>"
        bars = go.Bar(x=losses[is_drawn], y=masses[is_drawn], name=name, marker_color=color)
        figure.add_trace(bars.update(hovertemplate=hover))
    set_axes(figure, x="privacy loss", y="chance", height=320)
    figure.update_layout(barmode="overlay")
    figure.add_vline(x=epsilon, line={"color": QUIET, "dash": "dot"})
    # Losses ascend; Gaussian noise has no largest one.
    largest = f"{law.losses[-1]:.4g}" if noisy.guarantee.rho is None else "unbounded"
    mean = math.fsum(law.losses * law.masses)
    alt = (
        f"Law of the privacy loss of the noise on {noisy.label}. Mean {mean:.4g}, largest "
        f"{largest}; the chance of a loss above epsilon {epsilon:.4g} is "
        f"{exceedance(law, epsilon):.3g}."
    )
    return Picture(figure, alt, pd.DataFrame({"privacy loss": losses, "chance": masses}))


def delta_curve(noisy: Noisy, epsilon: float) -> Picture:
    """Return a picture of what remains above every epsilon: delta, and larger losses.

    Lines are the least delta, and the chance of a loss above that epsilon.

    Args:
        noisy: A noisy histogram, or several together.
        epsilon: The epsilon that is marked, and that the alternative text is about.
    """
    law = noisy.law
    pure_epsilon = noisy.guarantee.epsilon
    # A quarter beyond where delta is 0, or under zCDP about a thousand-millionth.
    reach = 1.25 * (
        float(pure_epsilon) if pure_epsilon is not None else zcdp_epsilon(noisy.rho, 1e-9)
    )
    # If the marked epsilon is beyond that, a second, coarser grid reaches it too.
    tops = {reach, max(reach, 1.25 * epsilon)}
    grids = [np.linspace(0, top, _POINTS) for top in tops]
    epsilons = np.unique(np.concatenate([*grids, [epsilon]]))
    delta = np.array([law.delta(float(x)) for x in epsilons])
    chance = np.array([exceedance(law, float(x)) for x in epsilons])
    curves = {"P(loss > epsilon)": _positive(chance), "delta": _positive(delta)}
    chance_above = exceedance(law, epsilon)
    least_delta = _least_delta(law, epsilon)
    alt = (
        f"What remains above each epsilon for {noisy.label}. At epsilon {epsilon:.4g} the "
        f"chance of a larger loss is {chance_above:.3g} and the least delta "
        f"{least_delta:.3g}"
    )
    if least_delta:
        alt += ": a delta of the first is enough, not necessary"
    alt += "."
    picture = line_picture(epsilons, curves, alt, x="epsilon", y="chance, delta (log scale)")
    # From 10^-12 to just above 1: the range of a logarithmic axis is in powers of ten.
    picture.figure.update_yaxes(type="log", range=[-12, 0.1], exponentformat="power")
    picture.figure.add_vline(x=epsilon, line={"color": QUIET, "dash": "dot"})
    return picture


def renyi_curve(noisy: Noisy) -> Picture:
    """Return a picture of the Renyi divergence of every order a, with the line rho * a.

    That line is what zCDP allows; for pure noise epsilon is drawn as another bound.

    Args:
        noisy: A noisy histogram, or several together.
    """
    orders = np.geomspace(1.05, 64, _POINTS)
    divergences = np.array([noisy.renyi(float(a)) for a in orders])
    curves: dict[str, Floats] = {
        "this noise": divergences,
        "allowed by zCDP: rho × a": noisy.rho * orders,
    }
    pure_epsilon = noisy.guarantee.epsilon
    bound = ""
    if pure_epsilon is not None:
        curves["allowed by pure: epsilon"] = np.full(orders.size, float(pure_epsilon))
        bound = (
            f" It never passes epsilon {float(pure_epsilon):.4g}: pure privacy is the "
            "stronger promise."
        )
    alt = (
        f"Renyi divergence of {noisy.label} against the order. At order 2 it is "
        f"{noisy.renyi(2.0):.4g}; zCDP with rho {noisy.rho:.4g} allows "
        f"{2 * noisy.rho:.4g}.{bound}"
    )
    picture = line_picture(orders, curves, alt, x="order a (log scale)", y="divergence")
    picture.figure.update_xaxes(type="log", tickvals=[2, 4, 8, 16, 32, 64])
    return picture


def exceedance(law: PrivacyLoss, epsilon: float) -> float:
    """Return P(loss > epsilon); a loss equal up to its last bits counts as equal."""
    return law.exceeds(epsilon + 1e-9 * max(1.0, epsilon))


def _least_delta(law: PrivacyLoss, epsilon: float) -> float:
    """Return the least delta at an epsilon; 0 if no loss exceeds it but for rounding."""
    return law.delta(epsilon) if exceedance(law, epsilon) else 0.0


def _positive(values: Floats) -> Floats:
    """Return values for a logarithmic axis: NaN for 0 and for rounding errors about 0."""
    return np.where(values > 1e-15, values, np.nan)


def _group_losses(law: PrivacyLoss) -> tuple[Floats, Floats]:
    """Return the mean loss and the probability of at most `_BARS` bars, both by bar.

    Each bar joins equally many neighbouring losses; those farther than five standard
    deviations from the mean are left out.
    """
    mean = math.fsum(law.losses * law.masses)
    reach = 5 * math.sqrt(math.fsum((law.losses - mean) ** 2 * law.masses))
    near = np.abs(law.losses - mean) <= reach  # five standard deviations
    losses = law.losses[near]
    masses = law.masses[near]
    starts = np.arange(0, losses.size, math.ceil(losses.size / _BARS))
    sums = np.add.reduceat(masses, starts)
    return np.add.reduceat(masses * losses, starts) / sums, sums


def example(epsilon: Fraction, delta: Fraction) -> NoisyHistogram:
    """Return an example of a noisy histogram, in which one person moves two cells by a row.

    It has Laplace noise of this epsilon if delta is 0; otherwise Gaussian noise whose rho
    gives (epsilon, delta).
    """
    if not delta:
        return NoisyHistogram(
            label="a histogram", noise=DiscreteLaplace.for_epsilon(epsilon, sensitivity=2)
        )
    rho = zcdp_rho(epsilon, delta)
    return NoisyHistogram(
        label="a histogram", noise=DiscreteGaussian.for_rho(rho, sensitivity2=2)
    )
