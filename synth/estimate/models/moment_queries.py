"""The sums of numbers that a release measures, and their share of the budget. PUBLIC.

The steward's terms are:

- ``means``: the offsets of every column of numbers, one sum each.
- A column's name: offsets and squares by its own bins.
- Two names, ``a*b``: products and squares of two columns of numbers, over rows that have
  both; or the offsets of one by the cells of the other.
- ``pairs``: every pair that is measured together.

>>> from synth.domain import Categorical, Integer
>>> from synth.estimate.noisy.moments import name_sums
>>> age = Integer(name="age", minimum=0, maximum=99)
>>> domain = Domain((age, Categorical(name="sex", categories=("f", "m"))))
>>> queries = moment_queries(["means", "age*sex"], domain)
>>> [name_sums(query, domain.names) for query in queries]
['sums of numbers: offsets of age', 'sums of numbers: offsets of age by sex']
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import combinations

import numpy as np

from synth.domain import OFFSET_STEPS, Domain, has_offsets, may_lack_number
from synth.errors import ArgumentError, NoiseError
from synth.estimate.models.allocation import Account
from synth.estimate.models.junction import Clique, cells
from synth.estimate.noisy.moments import MomentSum, moment_sensitivity
from synth.noise import DiscreteLaplace, Mechanism

# The terms that name no column.
MEANS = "means"
PAIRS = "pairs"
# Rows from which on an unasked sum must improve a mean more than bins do.
PAYING_ROWS = 1000
# Budget share for sums of all columns.
MEANS_SHARE = Fraction(1, 30)
# Budget share for sums of named columns.
NAMED_SHARE = Fraction(1, 2)
# Part of a budget for sums of two columns, which are larger, by that for sums of offsets of
# one.
PRODUCTS_WEIGHT = 5 / 3

# Sums that are measured together.
MomentQuery = tuple[MomentSum, ...]


def moment_queries(
    terms: Sequence[str], domain: Domain, measured: Iterable[Clique] = ()
) -> list[MomentQuery]:
    """Return the sums to measure: a list of queries, each of sums measured together.

    Where a number may be missing, rows are counted too if no histogram counts them.

    Args:
        terms: What the steward asked for, as the module's first lines describe: ``means``,
            ``pairs``, a column's name, or two names such as ``a*b``.
        domain: The declared columns.
        measured: Sets of columns that were measured together, also for the term ``pairs``.

    Raises:
        ArgumentError: A term names no column, or one whose bins leave nothing to measure.
    """
    cliques = [_read_term(term, domain) for term in terms if term not in (MEANS, PAIRS)]
    pairs: list[Clique] = [clique for clique in cliques if len(clique) == 2]
    counted_pairs = set[Clique]()  # those that some histogram counts
    if PAIRS in terms or pairs:  # of a thousand columns there are half a million pairs
        counted_pairs = _inner_pairs(measured)
    if PAIRS in terms:
        pairs += [pair for pair in sorted(counted_pairs) if _has_numbers(pair, domain, any)]
    pairs = list(dict.fromkeys(pairs))
    # In these both columns are numbers. In other pairs one is, and the other forms groups.
    number_pairs = [pair for pair in pairs if _has_numbers(pair, domain, all)]
    means: list[int] = []
    if MEANS in terms:
        means = [a for a in range(len(domain.columns)) if has_offsets(domain, a)]
    queries = [
        _query_offsets(means, number_pairs, domain, counted_pairs=counted_pairs),
        _query_products(number_pairs, domain),
    ]
    for clique in dict.fromkeys(cliques):
        if len(clique) == 1:
            queries.append(_query_bins(clique[0]))
    for pair in pairs:
        if pair not in number_pairs:
            queries.append(_query_groups(pair, domain, counted_pairs=counted_pairs))
    return [query for query in queries if query]


def _inner_pairs(cliques: Iterable[Clique]) -> set[Clique]:
    """Return all pairs of columns, ascending, that are together in some set of columns."""
    pairs = set[Clique]()
    for clique in cliques:
        pairs.update(combinations(sorted(clique), 2))
    return pairs


def _has_numbers(
    pair: Clique, domain: Domain, quantifier: Callable[[Iterable[bool]], bool]
) -> bool:
    """Return whether any or all columns of a pair are numbers in bins of several values.

    Args:
        pair: Numbers of the columns, perhaps of only one.
        domain: The declared columns.
        quantifier: `any` or `all`.
    """
    return quantifier(has_offsets(domain, column) for column in pair)


def _query_offsets(
    means: Sequence[int],
    number_pairs: Sequence[Clique],
    domain: Domain,
    *,
    counted_pairs: Collection[Clique],
) -> MomentQuery:
    """Return the sums of offsets that are measured together.

    They are the offsets of each column over all rows with a number. For pairs there are also
    those over the rows where the partner has a number too. The number of rows that have both
    is added, if no histogram counts them.

    Args:
        means: Columns whose mean is asked for.
        number_pairs: Pairs of columns of numbers whose relation is asked for.
        domain: The declared columns.
        counted_pairs: Pairs that some histogram counts.
    """
    factors = _factors(number_pairs, domain)
    all_rows = {(column, ()) for column in means} | {(column, ()) for column, _ in factors}
    offsets = [
        MomentSum(columns=(column,), given=partner)
        for column, partner in sorted(all_rows | factors)
    ]
    rows = [
        MomentSum(columns=(), given=pair)
        for pair in number_pairs
        if pair[0] != pair[1] and pair not in counted_pairs and _lacking(pair, domain)
    ]
    return (*offsets, *rows)


def _query_products(number_pairs: Sequence[Clique], domain: Domain) -> MomentQuery:
    """Return the squares and products that are measured together.

    They are the squares of each column over the rows where its partner has a number, and the
    products of both columns.

    Args:
        number_pairs: Pairs of columns of numbers; a column with itself has squares alone.
        domain: The declared columns.
    """
    squares = [
        MomentSum(columns=(column, column), given=partner)
        for column, partner in sorted(_factors(number_pairs, domain))
    ]
    products = [MomentSum(columns=(a, b)) for a, b in number_pairs if a != b]
    return (*squares, *products)


def _query_bins(column: int) -> MomentQuery:
    """Return the offsets and squares of a column by its own bins, measured together."""
    offsets = MomentSum(columns=(column,), by=(column,))
    squares = MomentSum(columns=(column, column), by=(column,))
    return (offsets, squares)


def _query_groups(
    pair: Clique, domain: Domain, *, counted_pairs: Collection[Clique]
) -> MomentQuery:
    """Return the offsets of a number by the cells of another column.

    Rows that have a number are counted too, if one may be missing and no histogram counts
    them.

    Args:
        pair: The two columns, of which just one has numbers in bins of several values.
        domain: The declared columns.
        counted_pairs: Pairs that some histogram counts.
    """
    number, group = pair
    if not has_offsets(domain, number):
        group, number = pair
    offsets = MomentSum(columns=(number,), by=(group,))
    if pair in counted_pairs or not may_lack_number(domain, number):
        return (offsets,)
    return (offsets, MomentSum(columns=(), by=(group,), given=(number,)))


def _factors(number_pairs: Iterable[Clique], domain: Domain) -> set[tuple[int, Clique]]:
    """Return each column of some pairs, with the columns that must have a number too.

    The second entry holds the partner if that may lack a number, and is empty otherwise, also
    for a column paired with itself.

    Args:
        number_pairs: Pairs of columns of numbers.
        domain: The declared columns.
    """
    factors = set[tuple[int, Clique]]()
    for a, b in number_pairs:
        factors.add((a, _lacking({b} - {a}, domain)))
        factors.add((b, _lacking({a} - {b}, domain)))
    return factors


def _lacking(columns: Iterable[int], domain: Domain) -> Clique:
    """Return those of some columns that may lack a number."""
    return tuple(column for column in columns if may_lack_number(domain, column))


def _read_term(term: str, domain: Domain) -> Clique:
    """Return the number of the column, or of the two columns, that a term names, ascending.

    Names may contain ``*``. So all ways to split the term are tried, the whole term first.

    Args:
        term: A column's name, or two names such as ``a*b``; ``a*a`` gives a column twice.
        domain: The declared columns.

    Raises:
        ArgumentError: It names no column, or none with numbers in bins of several values.
    """
    names = domain.names
    readings: list[tuple[str, ...]] = [(term,)]
    for place, letter in enumerate(term):
        if letter == "*":
            readings.append((term[:place].strip(), term[place + 1 :].strip()))
    declared = [reading for reading in readings if set(reading) <= set(names)]
    if not declared:
        raise ArgumentError(
            f"'{term[:40]}' is no column and no pair of columns whose sums can be measured; "
            f"write {MEANS}, {PAIRS}, a name, or two names such as {names[0]}*{names[-1]}."
        )
    clique = tuple(sorted(names.index(name) for name in declared[0]))
    if not _has_numbers(clique, domain, any):
        raise ArgumentError(
            f"'{term[:40]}' has no numbers or dates in bins of several values, so that its "
            "counts say all there is; name another column."
        )
    return clique


def choose_terms(account: Account, domain: Domain) -> tuple[str, ...]:
    """Return the terms of sums for a release that names none: means, or nothing.

    A mean from counts alone may be off by half a bin. Means are chosen if their noise, over
    `PAYING_ROWS` rows, is less. Noise so wide that Synth does not draw it is never less.

    Args:
        account: The release's whole budget.
        domain: The declared columns.
    """
    queries = moment_queries((MEANS,), domain)
    if not queries:
        return ()
    try:
        noise = moment_noise(
            account, account.total * MEANS_SHARE, queries[0], values=len(queries[0])
        )
    except NoiseError:
        return ()
    # Half a bin has `OFFSET_STEPS` steps, and the noise is on a sum over the rows, in steps.
    return (MEANS,) if noise.mean_absolute <= PAYING_ROWS * OFFSET_STEPS else ()


def moment_share(terms: Sequence[str], domain: Domain) -> Fraction:
    """Return the share of the budget that sums get; 0 if there is nothing to measure.

    Args:
        terms: What the steward asked for; see `moment_queries`.
        domain: The declared columns.
    """
    # As if all columns were measured together, so that ``pairs`` means all pairs.
    all_columns = [tuple(range(len(domain.columns)))]
    if not moment_queries(terms, domain, all_columns):
        return Fraction(0)
    share = Fraction(0)
    if MEANS in terms:
        share += MEANS_SHARE
    if any(term != MEANS for term in terms):
        share += NAMED_SHARE
    return share


def split_for_moments(
    account: Account, budget: Fraction, queries: Sequence[MomentQuery]
) -> list[Fraction]:
    """Return what each query gets of a budget, in epsilon or rho.

    Sums of two columns get more than offsets of one. A product may be as large as half of one
    range times half of another, an offset as half a bin.

    Args:
        account: Splits the budget exactly.
        budget: What all queries cost together.
        queries: Sums that are measured together, at one cost each.
    """
    weights = []
    for query in queries:
        is_of_one_column = len(query[0].columns + query[0].by) == 1
        weight = 1.0 if is_of_one_column else PRODUCTS_WEIGHT
        # A row moves each sum of all rows, so that the noise grows with their number.
        if not any(moment.by for moment in query):
            weight *= len(query)
        weights.append(weight)
    return account.split(budget, weights)


def choose_ranges(
    account: Account,
    domain: Domain,
    costs: Sequence[tuple[MomentQuery, Fraction]],
    *,
    measured: Iterable[tuple[Clique, float]],
) -> list[MomentQuery]:
    """Return the queries, with sums from the middle of the range where that is better.

    Offsets from the middles of bins have less noise. But a mean then also needs the counts of
    the bins, which add their noise.

    Args:
        account: Turns costs into noise.
        domain: The declared columns.
        costs: The queries, each with its cost in epsilon or rho.
        measured: The columns of every noisy histogram, and the noise variance of a cell.
    """
    histograms = list(measured)
    queries = []
    for query, cost in costs:
        values = sum(cells(domain.shape, moment.by) for moment in query)
        variance = moment_noise(account, cost, query, values=values).variance
        queries.append(
            tuple(
                _choose_form(moment, domain, variance, histograms=histograms)
                for moment in query
            )
        )
    return queries


def _choose_form(
    moment: MomentSum,
    domain: Domain,
    variance: float,
    *,
    histograms: Sequence[tuple[Clique, float]],
) -> MomentSum:
    """Return a sum in the form in which a mean from it varies less.

    It may be of offsets from the middles of bins, to which the counts of bins add their own
    variance; or of distances from the middle of the range.

    Args:
        moment: The sum, in the former form.
        domain: The declared columns.
        variance: Noise variance of the sum, in squared steps.
        histograms: The columns of every noisy histogram, and the noise variance of a cell.
    """
    forms = ranged_forms(moment)
    if len(forms) == 1:
        return moment
    binned, ranged = forms
    (binned_factor,) = binned.factors(domain)
    (ranged_factor,) = ranged.factors(domain)
    # In the units of values, as steps of the two forms differ; `unit` is what one is worth.
    binned_variance = variance * float(binned.unit(domain).max()) ** 2
    ranged_variance = variance * float(ranged.unit(domain).max()) ** 2
    # A count that is off by one row moves the mean's numerator by the distance of the bin's
    # middle from that of the range.
    shifts = binned_factor.middles - ranged_factor.middles
    shifts = np.where(binned_factor.halves > 0, shifts, 0.0)  # cells without width add 0
    precision = _precision({*moment.columns, *moment.by, *moment.given}, domain, histograms)
    from_counts = float(shifts @ shifts) / max(precision, 1e-300)
    return ranged if binned_variance + from_counts > ranged_variance else binned


def _precision(
    columns: set[int], domain: Domain, histograms: Sequence[tuple[Clique, float]]
) -> float:
    """Return the inverse variance of a count of some columns' cells, by all histograms.

    Args:
        columns: Numbers of the columns.
        domain: The declared columns.
        histograms: The columns of every noisy histogram, and the noise variance of a cell.
            Those without some of the columns say nothing.
    """
    size = cells(domain.shape, columns)
    # A count sums several cells of a wider histogram, each with its noise: their variances
    # add up. The inverse variances of several histograms add up too.
    return sum(
        size / cells(domain.shape, clique) / variance
        for clique, variance in histograms
        if columns <= {*clique}
    )


def ranged_forms(moment: MomentSum) -> tuple[MomentSum, ...]:
    """Return a sum, and the same sum from the middle of the column's range if there is one.

    Only offsets of one column, not by its own bins, have that second form.
    """
    if len(moment.columns) != 1 or moment.columns[0] in moment.by:
        return (moment,)
    return (moment, replace(moment, ranged=True))


def moment_noise(
    account: Account, cost: Fraction, query: MomentQuery, *, values: int
) -> Mechanism:
    """Return the noise on each number of a query, in steps.

    With pure epsilon it is independent Laplace noise; or, for sums of all rows, noise on the
    cube of their moves (K-norm mechanism), if that can be drawn and is less.

    Args:
        account: Turns costs into noise.
        cost: What the query costs exactly, in epsilon or rho.
        query: Sums that are measured together.
        values: How many numbers these are: one for each cell of each sum.
    """
    # How far one protected unit moves the numbers: in L1, squared L2 and L-infinity.
    moves = moment_sensitivity(query, account.unit, account.neighbors)
    if not account.pure:
        return account.gaussian(cost, moves.squared_l2)
    independent = DiscreteLaplace(moves.l1 / cost)
    if values == 1 or any(moment.by for moment in query):
        return independent
    from synth.noise import KNorm, Norm, is_in_reach, is_quick

    scale = moves.l_infinity / cost
    if not is_in_reach(values, scale) or not is_quick(values, scale):
        return independent
    cube = KNorm(Norm.MAX, values, scale)
    return min(independent, cube, key=lambda noise: noise.mean_absolute)
