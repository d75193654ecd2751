"""The three definitions in pictures: every number against a formula that is not ours."""

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy import integrate, stats

from synth.estimate import Spend
from synth.lessons import losses
from synth.lessons.losses import (
    JointLoss,
    Noisy,
    NoisyHistogram,
    delta_curve,
    example,
    loss_law,
    renyi_curve,
)
from synth.noise import DiscreteGaussian, DiscreteLaplace, Mechanism
from synth.privacy import ROW, Guarantee, Neighbors, PrivacyLoss, Unit, gaussian_delta
from synth.util import Picture
from tests.lessons.pictures import check_picture
from tests.privacy.losses import loss_of, zcdp_delta

NANO = Fraction(1, 10**9)


def laplace_histogram(scale: str, cells: int = 2, move: int = 1) -> NoisyHistogram:
    return NoisyHistogram(
        label="a histogram", noise=DiscreteLaplace(Fraction(scale)), cells=cells, move=move
    )


def gaussian_histogram(sigma2: str, cells: int = 2, move: int = 1) -> NoisyHistogram:
    return NoisyHistogram(
        label="a histogram", noise=DiscreteGaussian(Fraction(sigma2)), cells=cells, move=move
    )


def loss_by_all_pairs(histogram: NoisyHistogram) -> PrivacyLoss:
    """The loss from the chances of every pair of outputs, one table against its neighbour."""
    z = np.arange(-150, 151)
    if isinstance(histogram.noise, DiscreteLaplace):
        log_p = -np.abs(z) / float(histogram.noise.scale)
        log_q = -np.abs(z - histogram.move) / float(histogram.noise.scale)
    else:
        log_p = -(z**2) / (2 * float(histogram.noise.sigma2))
        log_q = -((z - histogram.move) ** 2) / (2 * float(histogram.noise.sigma2))
    p, q = (np.exp(logs) / math.fsum(np.exp(logs)) for logs in (log_p, log_q))
    if histogram.cells == 2:  # the other cell loses the rows, and its loss has the same law
        p, q = np.outer(p, p[::-1]).ravel(), np.outer(q, q[::-1]).ravel()
    is_possible = (p > 1e-280) & (q > 1e-280)
    return loss_of(
        p[is_possible] / math.fsum(p[is_possible]), q[is_possible] / math.fsum(q[is_possible])
    )


CASES = [
    laplace_histogram("1", cells=1),
    laplace_histogram("2"),
    laplace_histogram("1/3"),
    laplace_histogram("4", move=3),
    laplace_histogram("4", cells=1, move=4),
    gaussian_histogram("9", cells=1),
    gaussian_histogram("9"),
    gaussian_histogram("1/4"),
    gaussian_histogram("25", move=3),
]


@pytest.mark.parametrize("histogram", CASES, ids=str)
def test_the_law_is_that_of_all_pairs_of_outputs(histogram: NoisyHistogram) -> None:
    """The law of the privacy loss equals the one of a slow enumeration of all pairs of
    outputs.

    They are compared by delta and by the chance of a larger loss at some epsilons, and by
    Renyi divergences of some orders.
    """
    law = histogram.law
    slow = loss_by_all_pairs(histogram)
    assert math.fsum(law.masses) == pytest.approx(1, abs=1e-12)
    assert (np.diff(law.losses) > 0).all()

    for epsilon in (0.01, 0.1, 0.33, 0.77, 1.4, 2.6):
        assert law.delta(epsilon) == pytest.approx(slow.delta(epsilon), rel=1e-6, abs=1e-13)
        assert law.exceeds(epsilon) == pytest.approx(
            slow.exceeds(epsilon), rel=1e-6, abs=1e-13
        )
    for order in (1.3, 1.5, 2.0, 8.0):
        assert histogram.renyi(order) == pytest.approx(slow.renyi(order), rel=1e-6)


@pytest.mark.parametrize("histogram", CASES, ids=str)
def test_no_loss_is_above_what_the_noise_guarantees(histogram: NoisyHistogram) -> None:
    """No privacy loss of noise for epsilon exceeds epsilon, and the largest one reaches it.

    For every noise, the Renyi divergence of an order is at most rho times the order, as zCDP
    asks.
    """
    guarantee = histogram.guarantee
    if guarantee.epsilon is not None:
        assert histogram.law.losses[-1] == pytest.approx(float(guarantee.epsilon), rel=1e-12)
        assert losses.exceedance(histogram.law, float(guarantee.epsilon)) == 0
    for order in (1.01, 2.0, 10.0, 50.0):
        assert histogram.renyi(order) <= histogram.rho * order * (1 + 1e-9)


def test_one_count_is_randomised_response() -> None:
    """One count with Laplace noise of scale 1 has the losses -1 and 1 of randomised response.

    Their chances are those of a coin that keeps the truth with probability 1 / (1 + e^-1).
    This is A1 and A2 of the source notes.
    """
    law = laplace_histogram("1", cells=1).law
    keep = 1 / (1 + math.exp(-1))
    assert law.losses == pytest.approx([-1, 1])
    assert law.masses == pytest.approx([1 - keep, keep])
    assert law.delta(0.5) == pytest.approx((math.e - math.exp(0.5)) / (1 + math.e))


def test_the_gaussian_is_that_of_the_seeds() -> None:
    """Gaussian noise for epsilon 1 and delta 1e-5 has the loss of the source notes (A3, A4).

    Its sigma is 3.7306 sensitivities, here 100 rows, so that whole numbers are nearly
    continuous. P(loss > 1) is 1.61e-4, and the loss is normal with mean rho and variance 2
    rho.
    """
    sigma = 373.06
    histogram = gaussian_histogram(str(Fraction(sigma) ** 2), cells=1, move=100)
    rho = float(histogram.guarantee.rho or 0)
    assert histogram.law.exceeds(1.0) == pytest.approx(1.61e-4, rel=0.01)
    assert histogram.law.delta(1.0) == pytest.approx(1e-5, rel=0.01)
    mean = math.fsum(histogram.law.losses * histogram.law.masses)
    variance = math.fsum((histogram.law.losses - mean) ** 2 * histogram.law.masses)
    assert (mean, variance) == pytest.approx((rho, 2 * rho), rel=1e-6)

    # The bound of zCDP on the tail of a loss.
    for step in (0.1, 0.5, 1.0):
        assert histogram.law.exceeds(step + rho) <= math.exp(-(step**2) / (4 * rho))


@pytest.mark.parametrize("sigma2", ["40", "1000000", "4000000000"])
@pytest.mark.parametrize("cells", [1, 2])
def test_large_noise_is_the_continuous_gaussian(sigma2: str, cells: int) -> None:
    """Discrete Gaussian noise of a large variance has the privacy loss of the continuous one.

    The law then goes through few of the possible values, so that it stays small. A variance
    of 40 is still a little different.
    """
    histogram = gaussian_histogram(sigma2, cells)
    spread = math.sqrt(cells / float(sigma2))  # the standard deviation of the loss
    assert histogram.law.losses.size < 60_000
    for deviations in (0.5, 2.0, 4.0):
        epsilon = deviations * spread
        exact = gaussian_delta(epsilon, 1 / spread)
        assert histogram.law.delta(epsilon) == pytest.approx(
            exact, rel=0.05 if sigma2 == "40" else 2e-4
        )
        # The loss is normal: its mean is half of its variance.
        normal = stats.norm.sf(epsilon, loc=spread**2 / 2, scale=spread)
        assert histogram.law.exceeds(epsilon) == pytest.approx(
            normal, rel=0.5 if sigma2 == "40" else 0.02
        )


def test_an_example_keeps_what_it_says() -> None:
    """The example for epsilon 1 and delta 1e-5 has the largest rho that keeps this delta
    (A6).

    That is 0.03056, whose exact delta is just below 1e-5. For delta 0 the example is pure,
    and its rho is tanh(epsilon / 2), the least of every mechanism with this epsilon.
    """
    histogram = example(Fraction(1), Fraction(1, 10**5))
    assert histogram.rho == pytest.approx(0.03056, abs=5e-6)
    assert histogram.law.delta(1.0) <= zcdp_delta(histogram.rho, 1.0) <= 1.0001e-5

    pure = example(Fraction(1), Fraction(0))
    assert pure.guarantee == Guarantee.pure(1)
    assert pure.rho == pytest.approx(math.tanh(0.5))


def test_two_equal_parts_are_one_of_twice_the_cells() -> None:
    """Losses of independent counts add up: two histograms of one cell are one of two cells.

    The sum rounds losses up to a grid, so its delta is never below the exact one, and near
    it.
    """
    for single, both in (
        (laplace_histogram("2", cells=1), laplace_histogram("2")),
        (gaussian_histogram("9", 1), gaussian_histogram("9")),
    ):
        pair = JointLoss("both", (single, single))
        assert pair.guarantee == both.guarantee
        assert pair.renyi(3.0) == pytest.approx(both.renyi(3.0))
        for epsilon in (0.1, 0.5, 0.9):
            exact = both.law.delta(epsilon)
            assert exact * (1 - 1e-9) <= pair.law.delta(epsilon) + 1e-15
            assert pair.law.delta(epsilon) == pytest.approx(exact, rel=0.05, abs=1e-12)


def test_many_gaussians_are_one_of_the_sum_of_their_rhos() -> None:
    """Several histograms with Gaussian noise have the loss of one whose rho is their sum.

    Noise of variance s^2 on two cells costs rho = 2 / (2 s^2) = 1 / s^2. Losses are rounded
    up, so delta is never too small, and at most a tenth too large.
    """
    parts = tuple(
        gaussian_histogram(sigma2) for sigma2 in ("100", "200", "300", "400", "500")
    )
    joint = JointLoss("five", parts)
    spread = math.sqrt(2 * joint.rho)
    assert joint.rho == pytest.approx(1 / 100 + 1 / 200 + 1 / 300 + 1 / 400 + 1 / 500)
    for epsilon in (0.1, 0.5, 0.8):
        exact = gaussian_delta(epsilon, 1 / spread)
        assert exact <= joint.law.delta(epsilon) <= exact * 1.1


def test_many_laplace_parts_never_lose_more_than_their_epsilons() -> None:
    """Several histograms with Laplace noise never lose more than the sum of their epsilons.

    A row moves two cells by 1, so noise of scale b costs epsilon 2 / b. The law of the sum is
    rounded up a little: its mean is at most 0.5 % of epsilon too large.
    """
    joint = JointLoss("ten", tuple(laplace_histogram(str(scale)) for scale in range(20, 30)))
    total = joint.guarantee.epsilon
    assert total == sum(Fraction(2, scale) for scale in range(20, 30))
    assert losses.exceedance(joint.law, float(total)) == 0
    assert math.fsum(joint.law.masses) == pytest.approx(1)

    exact = math.fsum(float(part.law.losses @ part.law.masses) for part in joint.parts)
    mean = float(joint.law.losses @ joint.law.masses)
    assert exact <= mean <= exact + 0.005 * float(total)

    for picture in list_pictures(joint, 0.5):
        assert picture.alt.endswith(".")


def test_renyi_by_quadrature() -> None:
    """The Renyi divergence of Gaussian noise equals an integral over two normal densities.

    For order a it is ln(integral of p^a q^(1-a)) / (a - 1); the variance 100 is a deviation
    of 10.
    """
    histogram = gaussian_histogram("100", cells=1)
    a = 3.0
    integral, _ = integrate.quad(
        lambda x: stats.norm.pdf(x, 0, 10) ** a * stats.norm.pdf(x, 1, 10) ** (1 - a),
        -150,
        150,
    )
    assert histogram.renyi(a) == pytest.approx(math.log(integral) / (a - 1), rel=1e-6)


def list_pictures(noisy: Noisy, epsilon: float) -> list[Picture]:
    """The three pictures of a loss: its law, its curve of delta, and its Renyi
    divergences.
    """
    return [loss_law(noisy, epsilon), delta_curve(noisy, epsilon), renyi_curve(noisy)]


@pytest.mark.parametrize(
    "histogram",
    [*CASES, gaussian_histogram("4000000000"), laplace_histogram("20000")],
    ids=str,
)
@pytest.mark.parametrize("epsilon", [0.05, 1.0, 5.0])
def test_every_picture_has_words_and_numbers(
    histogram: NoisyHistogram, epsilon: float
) -> None:
    """Every picture of a loss has a text and finite numbers, and a table of at
    most 125 rows.
    """
    for picture in list_pictures(histogram, epsilon):
        check_picture(picture)
        assert 1 < len(picture.table) <= 125


def test_the_chances_that_are_drawn_add_up_and_mark_epsilon() -> None:
    """Chances below and above epsilon are drawn apart, with a line between them."""
    for case in CASES:
        law = loss_law(case, 0.5)
        assert law.table["chance"].sum() == pytest.approx(1, abs=1e-5)
        low, high = (list(trace.x) for trace in law.figure.data)
        assert not low or max(low) <= 0.5
        assert not high or min(high) > 0.5
        (line,) = law.figure.layout.shapes
        assert line.x0 == line.x1 == 0.5


def test_the_words_say_the_numbers_of_the_curves() -> None:
    """The text of a picture names the numbers of its table at the given epsilon.

    With a delta of 1e-5, the chance of a larger loss exceeds delta. For pure epsilon both are
    0, and the noise is within what pure epsilon and zCDP allow.
    """
    histogram = example(Fraction(1), Fraction(1, 10**5))
    curve = delta_curve(histogram, 1.0)
    at = curve.table.set_index("epsilon").loc[1.0]
    assert f"larger loss is {at['P(loss > epsilon)']:.3g}" in curve.alt
    assert f"least delta {at['delta']:.3g}: a delta of the first is enough, not" in curve.alt
    assert at["P(loss > epsilon)"] > at["delta"]

    pure = example(Fraction(1), Fraction(0))
    assert "larger loss is 0 and the least delta 0." in delta_curve(pure, 1.0).alt
    assert "It never passes epsilon 1: pure privacy is the stronger promise." in (
        renyi_curve(pure).alt
    )
    table = renyi_curve(pure).table
    assert (table["this noise"] <= table["allowed by pure: epsilon"]).all()
    assert (table["this noise"] <= table["allowed by zCDP: rho × a"]).all()


class Made:
    """A record, as far as its payments go."""

    def __init__(self, scale: Fraction | None, neighbors: Neighbors, *spends: Spend) -> None:
        self.scale = scale
        self.neighbors = neighbors
        self.spends = spends


def make_spend(kind: str, noise: Mechanism | None, *columns: str) -> Spend:
    return Spend(what=kind, cost=Guarantee.zcdp(1), mechanism=noise, columns=columns)


def test_the_histograms_of_a_release_are_found() -> None:
    """The pictures of a release show each noisy histogram that it paid for, and all together.

    A dense release has one, of all columns: a replaced row leaves one cell and enters
    another.

    Under add-remove a person with up to 4 rows moves one cell by 4. Distances and a choice,
    which the second release paid for as well, are no histograms.
    """
    dense = Made(Fraction(2), Neighbors.REPLACE_ONE)
    (histogram,) = losses.noisy_histograms(dense, ROW)  # type: ignore[arg-type]
    assert histogram == NoisyHistogram(
        label="all columns", noise=DiscreteLaplace(Fraction(2)), cells=2, move=1
    )
    assert losses.noisy_parts(dense, ROW) == [histogram]  # type: ignore[arg-type]

    noise = DiscreteGaussian(Fraction(9))
    tree = Made(
        None,
        Neighbors.ADD_REMOVE,
        make_spend("age", noise, "age"),
        make_spend("the distances of the pairs", DiscreteLaplace(Fraction(9))),
        make_spend("the worst pair", None),
        make_spend("age and sex", noise, "age", "sex"),
    )
    histograms = losses.noisy_histograms(tree, Unit("who", 4))  # type: ignore[arg-type]
    assert histograms == [
        NoisyHistogram(label="age", noise=noise, cells=1, move=4),
        NoisyHistogram(label="age × sex", noise=noise, cells=1, move=4),
    ]

    parts = losses.noisy_parts(tree, Unit("who", 4))  # type: ignore[arg-type]
    assert parts == [JointLoss("all 2 histograms", tuple(histograms)), *histograms]
