"""The sums of numbers that a release measures, and their share of the budget. PUBLIC.

The steward's terms are:

- ``means``: the offsets of every column of numbers, one sum each.
- A column's name: offsets and squares by its own bins.
- Two names, ``a*b``: products and squares of two columns of numbers, over rows that have
both; or
  the offsets of one by the cells of the other.
- ``pairs``: every pair that is measured together.

>>> from synth.domain import Categorical, Integer
>>> from synth.estimate.noisy.moments import name_sums
>>> age = Integer(name="age", minimum=0, maximum=99)
>>> domain = Domain((age, Categorical(name="sex", categories=("f", "m"))))
>>> [name_sums(one, domain.names) for one in moment_queries(["means", "age*sex"], domain)]
['sums of numbers: offsets of age', 'sums of numbers: offsets of age by sex']
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from typing import Final

import numpy as np

from synth.domain import OFFSET_STEPS, Domain, has_offsets, may_lack_number
from synth.errors import ArgumentError, NoiseError
from synth.estimate.models.allocation import Account
from synth.estimate.models.junction import Clique, cells
from synth.estimate.noisy.moments import MomentSum, moment_sensitivity
from synth.noise import DiscreteLaplace, KNorm, Mechanism, Norm, is_in_reach, is_quick

AUTO_SUMS: Final = "auto"
# Terms that name no column; the first is alone.
MEANS, PAIRS = "means", "pairs"
# Rows from which on an unasked sum must improve a mean more than bins do.
PAYING_ROWS = 1000
# Budget shares for sums of all columns, and of named ones.
MEANS_SHARE, NAMED_SHARE = Fraction(1, 30), Fraction(1, 2)
# Part of a budget for sums of two columns, which are larger, by that for sums of offsets of
# one.
PRODUCTS_WEIGHT = 5 / 3

# Sums that are measured together.
MomentQuery = tuple[MomentSum, ...]


def moment_queries(
    terms: Sequence[str], domain: Domain, measured: Iterable[Clique] = ()
) -> list[MomentQuery]:
    """List the sums to measure, in order.

    Where a number may be missing, rows are counted too if no histogram counts them.

    Args:
        measured: Columns that were measured together, also for the term ``pairs``.

    Raises:
        ArgumentError: A term names no column, or one whose bins leave nothing to measure.
    """
    named = [_read_term(term, domain) for term in terms if term not in (MEANS, PAIRS)]
    pairs = [clique for clique in named if len(clique) == 2]
    inside = set[tuple[int, int]]()
    if PAIRS in terms or pairs:  # of a thousand columns there are half a million pairs
        inside = {pair for clique in measured for pair in combinations(sorted(clique), 2)}
    if PAIRS in terms:
        pairs += [
            p
            for p in sorted(inside)
            if has_offsets(domain, p[0]) or has_offsets(domain, p[1])
        ]
    numbers = [
        pair for pair in dict.fromkeys(pairs) if all(has_offsets(domain, a) for a in pair)
    ]

    def lacking(columns: Iterable[int]) -> tuple[int, ...]:
        return tuple(column for column in columns if may_lack_number(domain, column))

    means = [
        a for a in range(len(domain.columns)) if MEANS in terms and has_offsets(domain, a)
    ]
    both = {(column, lacking({*pair} - {column})) for pair in numbers for column in pair}
    once = sorted({*((a, ()) for a in means), *both, *((a, ()) for a, _ in both)})
    apart = [pair for pair in numbers if pair[0] != pair[1] and pair not in inside]
    rows = [pair for pair in apart if lacking(pair)]
    offsets = [MomentSum(columns=(a,), given=given) for a, given in once]
    found: list[MomentQuery] = [
        (*offsets, *(MomentSum(columns=(), given=pair) for pair in rows))
    ]
    products = [MomentSum(columns=(a, b)) for a, b in numbers if a != b]
    found.append(
        (*(MomentSum(columns=(a, a), given=given) for a, given in sorted(both)), *products)
    )
    for (column,) in (clique for clique in dict.fromkeys(named) if len(clique) == 1):
        found.append(
            (
                MomentSum(columns=(column,), by=(column,)),
                MomentSum(columns=(column, column), by=(column,)),
            )
        )
    for a, b in (pair for pair in dict.fromkeys(pairs) if pair not in numbers):
        number, group = (a, b) if has_offsets(domain, a) else (b, a)
        sums = [MomentSum(columns=(number,), by=(group,))]
        if (a, b) not in inside and lacking((number,)):
            sums.append(MomentSum(columns=(), by=(group,), given=(number,)))
        found.append(tuple(sums))
    return [one for one in found if one]


def _read_term(term: str, domain: Domain) -> Clique:
    # Ascending; ``a*a`` gives the column twice.
    names = domain.names
    cuts = [i for i, letter in enumerate(term) if letter == "*"]
    ways = [(term,), *((term[:i].strip(), term[i + 1 :].strip()) for i in cuts)]
    known = next((way for way in ways if all(name in names for name in way)), None)
    if known is None:
        raise ArgumentError(
            f"'{term[:40]}' is no column and no pair of columns whose sums can be measured; "
            f"write {MEANS}, {PAIRS}, a name, or two names such as {names[0]}*{names[-1]}."
        )
    found = tuple(sorted(names.index(name) for name in known))
    if not any(has_offsets(domain, column) for column in found):
        raise ArgumentError(
            f"'{term[:40]}' has no numbers or dates in bins of several values, so that its "
            "counts say all there is; name another column."
        )
    return found


def choose_terms(account: Account, domain: Domain) -> tuple[str, ...]:
    """Choose means for a release that names no sums, if their noise beats bins.

    A mean from counts alone may be off by half a bin. The noise must be less over
    `PAYING_ROWS` rows. Noise that Synth does not draw is never less."""
    queries = moment_queries((MEANS,), domain)
    if not queries:
        return ()
    try:
        noise = moment_noise(
            account, account.total * MEANS_SHARE, queries[0], values=len(queries[0])
        )
    except NoiseError:
        return ()
    return (MEANS,) if noise.mean_absolute <= PAYING_ROWS * OFFSET_STEPS else ()


def moment_share(terms: Sequence[str], domain: Domain) -> Fraction:
    """Return the sums' budget share, perhaps 0."""
    everything = [tuple(range(len(domain.columns)))]
    if not moment_queries(terms, domain, everything):
        return Fraction(0)
    return MEANS_SHARE * (MEANS in terms) + NAMED_SHARE * any(term != MEANS for term in terms)


def split_for_moments(
    account: Account, budget: Fraction, queries: Sequence[MomentQuery]
) -> list[Fraction]:
    """Split a budget over sums measured together, with the most noise on products.

    A product may be as large as half of one range times half of another, an offset as half a
    bin."""
    weights = []
    for what in queries:
        alone = len(what[0].columns + what[0].by) == 1
        each = 1.0 if alone else PRODUCTS_WEIGHT
        weights.append(each if any(one.by for one in what) else each * len(what))
    return account.split(budget, weights)


def choose_ranges(
    account: Account,
    domain: Domain,
    costs: Sequence[tuple[MomentQuery, Fraction]],
    *,
    measured: Iterable[tuple[Clique, float]],
) -> list[MomentQuery]:
    """Choose the numbers to count from their range, not their bins.

    Offsets have less noise, but counts of bins add theirs to conclusions.

    Args:
        measured: The columns of every noisy histogram, and the variance of a cell.
    """
    known = list(measured)

    def choose(one: MomentSum, noise: float) -> MomentSum:
        if len(forms := ranged_forms(one)) == 1:
            return one
        (own,), (far,) = (each.factors(domain) for each in forms)
        near, wide = (noise * float(each.unit(domain).max()) ** 2 for each in forms)
        away = np.where(own.halves > 0, own.middles - far.middles, 0.0)
        columns = {*one.columns, *one.by, *one.given}
        size = cells(domain.shape, columns)
        told = sum(size / cells(domain.shape, c) / v for c, v in known if columns <= {*c})
        return forms[near + float(away @ away) / max(told, 1e-300) > wide]

    found = []
    for what, cost in costs:
        values = sum(cells(domain.shape, one.by) for one in what)
        noise = moment_noise(account, cost, what, values=values).variance
        found.append(tuple(choose(one, noise) for one in what))
    return found


def ranged_forms(one: MomentSum) -> tuple[MomentSum, ...]:
    """Return the sum, and its ranged form if any."""
    may_be = len(one.columns) == 1 and one.columns[0] not in one.by
    return (one, replace(one, ranged=True)) if may_be else (one,)


def moment_noise(
    account: Account, cost: Fraction, what: MomentQuery, *, values: int
) -> Mechanism:
    """Return the noise on so many sums measured together, at exactly this epsilon or rho.

    With pure epsilon it is independent, or for sums of all rows on the cube of their moves,
    whichever is less.
    """
    moves = moment_sensitivity(what, account.unit, account.neighbors)
    if not account.pure:
        return account.gaussian(cost, moves.squared_l2)
    each, scale = DiscreteLaplace(moves.l1 / cost), moves.l_infinity / cost
    alone = values == 1 or any(one.by for one in what)
    if not alone and is_in_reach(values, scale) and is_quick(values, scale):
        cube = KNorm(Norm.MAX, values, scale)
        return min(each, cube, key=lambda noise: noise.mean_absolute)
    return each
