"""Layer 4 on the worst neighbours: what strategies and answers show of their claims, at 99 %.

``pytest -m audit`` makes a fiftieth of the runs, those of epsilon under add-remove and of rho
under replace-one, and looks whether guesses are right as often as the exact law says.
``SYNTH_BOUNDS=1`` makes all of them (``make evidence``) and asks for nine tenths of the
claim, or of what an optimal test may show with as many runs."""

import math
import os
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from scipy import stats

from synth import estimate
from synth.estimate import Method, Order
from synth.estimate.models import exact_columns, splitting
from synth.noise import DiscreteGaussian, DiscreteLaplace, KNorm, Norm
from synth.privacy import Guarantee, Neighbors, Sensitivity
from tests.audit import tally
from tests.audit.attacks import Attack, QuestionAttack, StrategyAttack, SumAttack
from tests.audit.bounds import (
    STEPS,
    added,
    claimed,
    law_of_noise,
    make_quiet,
    mu_of_choices,
    mu_of_errors,
    tried,
)
from tests.audit.twins import NoJoiner, chances_of_choice, loss_of_noise
from tests.noise.test_exponential import exponential_law, permute_and_flip_law

SHARE = Fraction(os.environ.get("SYNTH_BOUNDS", "1/50"))
"""Of the runs."""
COMPLETE, IN_FULL = SHARE > Fraction(1, 50), SHARE >= 1
SURE, ALARM = 0.01, 1e-6
"""Levels of the bounds that are printed, and of those that are held against the claim."""
REACHED = 0.9
"""Share of the claim, or of what an optimal test is expected to show, that has to be
shown.
"""

Strategic = tuple[str, Order, Guarantee, int]
"""A name, a strategy, a claim, and runs."""
EPSILON, EPSILON_4 = Guarantee.pure(2), Guarantee.pure(4)
HALF_MU, MU, MU_3 = (Guarantee.zcdp(Fraction(rho)) for rho in ("1/8", "1/2", "9/2"))
PAIRED = (Method.TREE, Method.ONE_SHOT, Method.ADAPTIVE)
ALONE: list[Strategic] = [
    *(
        ("independent", Order(strategy=Method.INDEPENDENT), *claim)
        for claim in ((EPSILON, 20_000), (MU, 40_000))
    ),
    *(
        ("groups", Order(strategy=Method.GROUPS, rows=None, groups=((0, 1),)), *claim)
        for claim in ((EPSILON, 20_000), (MU, 40_000))
    ),
    ("histogram", Order(strategy=Method.HISTOGRAM), EPSILON, 20_000),
    ("auto, a histogram", Order(strategy=Method.AUTO), EPSILON, 20_000),
]
IN_PAIRS: list[Strategic] = [
    *(
        (method.value, Order(strategy=method), claim, 12_000)
        for method in PAIRED
        for claim in (EPSILON_4, MU_3)
    ),
    ("auto, pairs", Order(strategy=Method.AUTO), MU_3, 12_000),
]
RANGES = [f"count where age >= {low} and age < {low + 30}" for low in (0, 10, 20, 33, 60)]
Ends = tuple[list[str], list[str]] | None
Asked = tuple[str, list[str], str | None, Ends]
"""A kind, questions, how they are answered, and the two rows of a choice."""
Claimed = tuple[Asked, Guarantee, Neighbors]
QUESTIONS: list[Asked] = [
    ("count", ["count where age >= 33 and sex = F"], None, None),
    ("share", ["share where smoker = yes"], None, None),
    ("table", ["table sex by smoker"], None, None),
    ("table", ["table sex by smoker"], "histogram", None),
    ("tables", ["table sex by smoker", "table age by sex"], "marginals", None),
    ("counts", [*RANGES, "count where sex = F"], "hierarchy", None),
    ("counts", [*RANGES, "count where sex = F"], "fitted", None),
    ("total", ["total weight where sex != M"], None, None),
    ("mean", ["mean age by sex"], None, None),
    ("means", ["means age, seen"], None, None),
    ("means", ["means age, seen"], "l2", None),
    ("top with counts", ["top 2 sex with counts"], None, None),
    ("variance", ["variance age by sex"], None, None),
    ("covariance", ["covariance age, weight"], None, None),
    ("regression", ["regression weight on age where smoker = yes"], None, None),
    ("components", ["components age, weight"], None, None),
    ("several", ["mean age by sex", "count where smoker = yes", "table grade"], None, None),
    ("top", ["top 1 sex"], "choice", (["F"], ["M"])),
    ("best", ["best of [age < 33; age >= 33] by count"], None, (["1"], ["89"])),
    ("close", ["close to 0 within 0.5: count where sex = F"], None, (["F"], ["M"])),
    ("median", ["median age where sex = F"], "choice", (["F", "1"], ["F", "89"])),
    ("quantiles", ["quantiles 1/4, 3/4 of age"], "choice", (["1"], ["89"])),
    ("median", ["median age"], "hierarchy", (["1"], ["89"])),
]
PURE_ALONE, RHO_ALONE = ("l2",), ("marginals",)
"""Ways that are not for both."""
SIDES = [(claim, neighbors) for claim in (EPSILON, MU) for neighbors in Neighbors]
"""Claims with relations, of which the short form leaves out half."""


def is_asked(claim: Guarantee, neighbors: Neighbors) -> bool:
    """Whether an attack is made at all."""
    return COMPLETE or (claim.rho is None) is (neighbors is Neighbors.ADD_REMOVE)


def of_strategies(strategies: list[Strategic]) -> pytest.MarkDecorator:
    """Every strategy under either relation."""
    cases = [
        pytest.param(strategic, neighbors, id=f"{strategic[0]}-{strategic[2]}-{neighbors}")
        for strategic, neighbors in product(strategies, Neighbors)
        if is_asked(strategic[2], neighbors)
    ]
    return pytest.mark.parametrize(("strategic", "neighbors"), cases)


def of_questions(questions: list[Asked]) -> pytest.MarkDecorator:
    """Every question under either relation, for epsilon and for rho; the short ones come
    first.
    """
    cases = [
        pytest.param(
            (question, claim, neighbors),
            id=f"{question[0]}-{question[2] or 'auto'}-{claim}-{neighbors}",
        )
        for question, (claim, neighbors) in product(questions, SIDES)
        if is_asked(claim, neighbors)
        and question[2] not in (PURE_ALONE if claim.rho else RHO_ALONE)
    ]
    return pytest.mark.parametrize("case", cases)


BOUNDS, HALVED = "bounds on the worst neighbours, at 99 %", "the same with half the noise"


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is thought between two payments is cut short; what is paid is not."""
    monkeypatch.setattr(estimate, "Together", NoJoiner)
    monkeypatch.setattr(exact_columns, "match_columns", lambda *_: None)
    monkeypatch.setattr(splitting, "PERCENTS", (0, 30))


@dataclass(frozen=True)
class Shown:
    """What came of an attack.

    Attributes:
        claim: Epsilon, or mu.
        found: Its bound at 99 %.
        sure: Its bound at 1e-6.
        allowed: What an optimal test is expected to show.
        fewer: The chance, by the exact law, to guess right no more often.
        more: The chance to guess right no less often.
    """

    claim: float
    found: float
    sure: float
    allowed: float
    fewer: float
    more: float


def make_runs(attack: Attack, runs: int) -> Shown:
    """Make so many runs, half of them on either table."""
    claim, trials = claimed(attack.guarantee), tried(attack.run, runs)
    if attack.guarantee.epsilon is not None:
        allowed = attack.law.allows(runs, SURE)
        guesses = trials.guesses(allowed.up, allowed.down)
        bound_at_99, sure_bound = (guesses.at_least(beta) for beta in (SURE, ALARM))
        right = stats.binom(guesses.made, allowed.chance)
        tails = float(right.cdf(guesses.right)), float(right.sf(guesses.right - 1))
        return Shown(claim, bound_at_99, sure_bound, allowed.epsilon, *tails)
    bound = mu_of_choices if attack.chooses else mu_of_errors
    bound_at_99, sure_bound = (
        bound(trials.wrong, trials.runs, beta) for beta in (SURE, ALARM)
    )
    laws = [stats.binom(n, e) for n, e in zip(trials.runs, attack.law.errors, strict=True)]
    allowed_mu = bound([law.mean() for law in laws], trials.runs, SURE)
    pairs = list(zip(laws, trials.wrong, strict=True))
    fewer = min(float(law.sf(wrong - 1)) for law, wrong in pairs)
    return Shown(
        claim,
        bound_at_99,
        sure_bound,
        allowed_mu,
        fewer,
        min(float(law.cdf(w)) for law, w in pairs),
    )


def line(name: str, attack: Attack, shown: Shown, runs: int) -> str:
    """What is to be said of an attack."""
    unit = "epsilon" if attack.guarantee.epsilon is not None else "mu"
    share = f"{shown.found / shown.allowed:4.0%}" if shown.allowed > 0.05 else "   -"
    return (
        f"{name:27} {attack.neighbors:11}  {shown.found:.3f} of {unit} {shown.claim:g}: "
        f"{shown.found / shown.claim:4.0%}; of the {shown.allowed:.3f} allowed "
        f"{share}; {attack.parts:2} parts, {runs:,} runs"
    )


def check(name: str, attack: Attack, runs: int) -> None:
    """No more is shown than is claimed, and nearly all that can be."""
    result = make_runs(attack, runs)
    tally.record(BOUNDS, line(name, attack, result, runs))
    assert result.sure <= result.claim
    assert result.fewer > ALARM
    if IN_FULL:
        pure = attack.guarantee.epsilon is not None
        is_claim_reached = not attack.chooses and (attack.parts == 1 or not pure)
        assert result.found >= REACHED * (
            result.claim if is_claim_reached else result.allowed
        )


def check_that_half_the_noise_is_seen(
    name: str, attack: Attack, runs: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Layer 7: the same price, half the scale, and the bound is above the claim.

    Or it is above all that the claimed noise shows of choices, which may be much less.
    """
    assert attack.law  # that of the noise that is paid for
    make_quiet(monkeypatch)
    result = make_runs(attack, runs)
    tally.record(HALVED, line(name, attack, result, runs))
    is_seen = result.found > result.claim or (attack.chooses and result.more < ALARM)
    tally.add("mutants", tried=1, caught=int(is_seen))
    assert is_seen


def _runs(full: int) -> int:
    return max(100, int(full * SHARE))


@of_strategies(ALONE)
@pytest.mark.timeout(3600)
def test_columns_and_histograms_show_what_they_claim(
    strategic: Strategic, neighbors: Neighbors
) -> None:
    """An attack on the worst neighbours shows no more than the epsilon or rho that is
    claimed. `check` makes the runs and compares the lower bound with the claim; complete runs
    must also come near it. A strategy here is a name, an order, a claim and a number of runs.
    """
    name, order, claim, runs = strategic
    check(name, StrategyAttack(order, claim, neighbors), _runs(runs))


SUMS = [
    pytest.param(terms, claim, neighbors, id=f"{','.join(terms)}-{claim}-{neighbors}")
    for terms, (claim, neighbors) in product((("means",), ("y",), ("x*y",), ("y*g",)), SIDES)
    if is_asked(claim, neighbors)
]
"""Terms under either relation, for epsilon and for rho."""


@pytest.mark.parametrize(("terms", "claim", "neighbors"), SUMS)
@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_sums_show_what_they_claim(
    terms: tuple[str, ...], claim: Guarantee, neighbors: Neighbors
) -> None:
    """An attack on sums of numbers shows no more than the epsilon or rho that is claimed.

    `check` makes the runs and compares the lower bound with the claim. Terms are means, sums
    of a column, and sums of products of two.
    """
    name = f"sums: {','.join(terms)}"
    check(
        name,
        SumAttack(terms, claim, neighbors),
        _runs(20_000 if claim is EPSILON else 40_000),
    )


@of_strategies(IN_PAIRS)
@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_strategies_of_pairs_show_what_they_claim(
    strategic: Strategic, neighbors: Neighbors
) -> None:
    """An attack on a strategy that measures pairs of columns shows no more than is claimed.

    `check` makes the runs and compares the lower bound with the claim.
    """
    name, order, claim, runs = strategic
    check(name, StrategyAttack(order, claim, neighbors), _runs(runs))


@of_questions(QUESTIONS)
@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_answers_show_what_they_claim(case: Claimed, tmp_path: Path) -> None:
    """An attack on the answers to questions shows no more than the epsilon or rho that is
    claimed. `check` makes the runs and compares the lower bound with the claim.
    """
    name, attack = attack_question(*case, tmp_path)
    check(name, attack, _runs(runs_needed(attack)))


def attack_question(
    question: Asked, claim: Guarantee, neighbors: Neighbors, folder: Path
) -> tuple[str, QuestionAttack]:
    """With less rho where noise has too few steps for one of Gaussian DP, which has none."""
    kind, questions, way, ends = question
    attack = QuestionAttack(questions, way, claim, neighbors, folder, ends)
    if claim is MU and attack.least_variance < 2:
        attack = QuestionAttack(questions, way, HALF_MU, neighbors, folder, ends)
    return f"{kind}, {'/'.join(attack.ways)}", attack


def runs_needed(attack: Attack) -> int:
    """Runs after which an optimal test shows all but a little of the claim, if it ever
    does.
    """
    if attack.guarantee is HALF_MU:
        return 160_000
    if attack.chooses:  # what shows little needs many runs to be shown at all
        return 40_000 if sum(attack.law.errors) < 0.75 else 160_000
    if attack.guarantee.rho is not None:
        return 40_000
    aim = 0.94 * claimed(attack.guarantee)
    for runs in (20_000, 40_000, 80_000, 160_000):
        if attack.law.allows(runs, SURE).epsilon > aim:
            return runs
    return 320_000


# Half the noise.


@of_strategies([*ALONE, *IN_PAIRS] if IN_FULL else ALONE)
@pytest.mark.slow
@pytest.mark.mutant
@pytest.mark.timeout(3600)
def test_half_the_noise_of_a_strategy_is_seen(
    strategic: Strategic, neighbors: Neighbors, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The attack on a strategy notices noise of half the scale.

    Its lower bound then is above the claim, which has not changed.
    """
    name, order, claim, runs = strategic
    attack = StrategyAttack(order, claim, neighbors)
    check_that_half_the_noise_is_seen(
        name, attack, min(runs, 4_000) if IN_FULL else 1_000, monkeypatch
    )


@pytest.mark.parametrize(("terms", "claim", "neighbors"), SUMS)
@pytest.mark.slow
@pytest.mark.mutant
@pytest.mark.timeout(3600)
def test_half_the_noise_of_sums_is_seen(
    terms: tuple[str, ...],
    claim: Guarantee,
    neighbors: Neighbors,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The attack on sums notices noise of half the scale: its lower bound then is above the
    claim.
    """
    attack = SumAttack(terms, claim, neighbors)
    check_that_half_the_noise_is_seen(f"sums: {','.join(terms)}", attack, 4_000, monkeypatch)


@of_questions(QUESTIONS if COMPLETE else QUESTIONS[1::4])
@pytest.mark.slow
@pytest.mark.mutant
@pytest.mark.timeout(3600)
def test_half_the_noise_of_an_answer_is_seen(
    case: Claimed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The attack on answers notices noise of half the scale: its lower bound then is above
    the claim. Choices between two rows show much less, so they get more runs; with these
    numbers no case of the complete audit is missed more often than once in 10^8.
    """
    name, attack = attack_question(*case, tmp_path)
    ends = case[0][-1]
    runs = 80_000 if ends else 12_000
    check_that_half_the_noise_is_seen(name, attack, runs, monkeypatch)


# The auditor itself.


@pytest.mark.parametrize(
    ("noise", "move"),
    [
        (DiscreteLaplace(Fraction(4)), (5, -2, 0)),
        (DiscreteGaussian(Fraction(8)), (3, -2, 0)),
        (KNorm(Norm.MAX, 3, Fraction(8)), (5, -2, 0)),
        (KNorm(Norm.L2, 2, Fraction(4_000)), (5_000, -2_000)),
    ],
    ids=["Laplace", "Gaussian", "cube", "ball"],
)
def test_the_law_of_the_loss_is_that_of_drawn_noise(
    noise: Any, move: tuple[int, ...]
) -> None:
    """The computed law of the privacy loss agrees with the losses of 4,000 drawn values.

    Its chances add up to 1 on both tables. The distance to the empirical distribution is the
    Kolmogorov-Smirnov statistic; 2.7 / sqrt(n) is exceeded once in a million times.
    """
    moves = np.array(move)
    law = law_of_noise(noise, moves, 1 / STEPS)

    assert law.chances.sum() == pytest.approx(1, abs=1e-6)
    assert law.of_other.sum() == pytest.approx(1, abs=1e-3)

    losses = [
        loss_of_noise(noise, noise.release(moves), moves, 0 * moves) for _ in range(4_000)
    ]
    below = np.searchsorted(np.sort(losses), law.losses + 1e-9) / len(losses)
    assert np.abs(below - law.chances.cumsum()).max() < 2.7 / len(losses) ** 0.5


def test_the_law_of_a_choice_is_that_of_all_orders() -> None:
    """The computed chances of a private choice are those of its mechanism.

    Epsilon 2 is drawn by permute-and-flip, rho 1/8 (epsilon 1 by its rate) by the exponential
    mechanism. The rate is epsilon over twice the sensitivity of 2. A run of two candidates
    has the chances of both.
    """
    query = SimpleNamespace(monotone=False, sensitivity=Sensitivity(2, 2, 2))
    scores = np.array([3, 0, 2, 3])
    for claim, law in ((EPSILON, permute_and_flip_law), (HALF_MU, exponential_law)):
        rate = (2.0 if claim is EPSILON else 1.0) / 4
        chances = chances_of_choice(query, claim, scores)  # type: ignore[arg-type]
        assert chances == pytest.approx(law(scores.tolist(), rate))

        chances_of_runs = chances_of_choice(query, claim, scores[:3], np.array([1, 1, 2]))  # type: ignore[arg-type]
        assert chances_of_runs == pytest.approx(law([3, 0, 2, 2], rate))


@pytest.mark.parametrize("mu", [0.5, 1.0, 3.0])
@pytest.mark.parametrize("runs", [30, 400])
def test_a_bound_of_mu_is_wrong_no_more_often_than_it_says(mu: float, runs: int) -> None:
    """The lower bound of mu exceeds the true mu no more often than its level says: 0.01
    (SURE) or 1e-6 (ALARM). All outcomes of an attack on Gaussian noise are counted by exact
    binomial laws, at four thresholds. Outcomes with chances below 1e-7 are left out.
    """
    for cut in (-1.0, 0.0, mu / 2, mu + 0.5):
        laws = [stats.binom(runs, p) for p in (stats.norm.cdf(cut - mu), stats.norm.sf(cut))]
        likely = [np.flatnonzero(law.pmf(np.arange(runs + 1)) > 1e-7) for law in laws]

        for beta in (SURE, ALARM):
            wrong = sum(
                laws[0].pmf(a) * laws[1].pmf(b)
                for a, b in product(*likely)
                if mu_of_errors((a, b), (runs, runs), beta) > mu
            )
            assert wrong <= beta * (1 + 1e-9)


def test_a_choice_of_two_shows_its_rho_and_no_more() -> None:
    """The bound for private choices shows the rho of randomised response, and no more.

    Randomised response of epsilon is epsilon^2 / 2-zCDP, so its mu is epsilon, and nearly no
    less. The number of lies is the expected one in a billion answers. SURE is the level of
    the bound, 0.01.
    """
    for epsilon in (0.1, 0.5, 1.0):
        lie = 10**9 / (1 + math.exp(epsilon))
        shown_rho = mu_of_choices((lie, lie), (10**9, 10**9), SURE)
        assert 0.95 * epsilon < shown_rho <= epsilon
        # This bound holds of Gaussian noise only.
        assert mu_of_errors((lie, lie), (10**9, 10**9), SURE) > epsilon


def test_an_optimal_test_of_randomised_response_is_expected_to_show_its_epsilon() -> None:
    """What an optimal test is expected to show of randomised response is its epsilon.

    Noise of scale 1/2 on a move of 1 is like randomised response of epsilon 2. A guess is
    right with a chance of 1 / (1 + e^-2). Two of them show 4.
    """
    law = law_of_noise(DiscreteLaplace(Fraction(1, 2)), np.array([1]), 2 / STEPS)
    allowed = law.allows(10**6, SURE)
    assert 1.99 < allowed.epsilon < 2
    assert allowed.chance == pytest.approx(1 / (1 + math.exp(-2)))

    twice = added([law, law]).allows(10**6, SURE)
    assert 3.9 < twice.epsilon < 4
