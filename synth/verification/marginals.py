"""Checks of a release by marginals: spends, noisy counts, and rows by domain, seed and
rules.
"""

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from synth.bundle import (
    CONDITIONS,
    NOISY,
    PARQUET,
    PLAN,
    Archive,
    ChoiceNoise,
    MarginalsCertificate,
    Payment,
    beyond_of,
    claim_of,
    noisy_table,
    write,
)
from synth.domain import Domain
from synth.errors import ArgumentError, ReleaseError, SynthError
from synth.estimate import (
    AS_IT_STANDS,
    DISTANCES,
    GUESS_DISTANCES,
    RECIPES,
    WORST,
    Bar,
    Believed,
    Clique,
    Favour,
    MarginalsRecord,
    MomentSum,
    NoisyMarginal,
    PublicTable,
    Rules,
    Spend,
    believed_total,
    moment_queries,
    moment_sensitivity,
    name_sums,
    ranged_forms,
    rebuild,
    small_pairs,
)
from synth.noise import Norm
from synth.plans import Plan
from synth.privacy import GRID, Guarantee, Sensitivity, covers
from synth.rows import Pairs, SyntheticTable, decode, encode_columns, value_laws
from synth.util import Floats, Ints
from synth.verification.files import (
    BundleRows,
    as_numbers,
    lists,
    noisy_pieces,
    refuse,
    rows_of,
)
from synth.verification.verdict import OpenClaim


def check_plan(plan: Plan, certificate: MarginalsCertificate) -> None:
    """Check that the plan asks for such a release.

    The certificate omits a delta that the plan allows and the release did not need.
    """
    try:
        plan.check_size()
    except SynthError:
        refuse(f"'{PLAN}' is not a plan.")
    delta = certificate.guarantee.delta
    if delta != plan.delta and (delta or certificate.mechanism.spent.rho is not None):
        refuse(f"'{PLAN}' asks for another guarantee than the certificate gives.")
    said = certificate.caveats[len(CONDITIONS) + 1 :]
    if said[: len(plan.caveats)] != plan.caveats:
        refuse(f"The certificate does not describe the public table of '{PLAN}' correctly.")
    if said != plan.caveats_of(certificate.mechanism.spent):
        refuse(f"The certificate does not describe the delta of '{PLAN}' correctly.")
    if not plan.by_model:
        refuse(f"'{PLAN}' asks for a histogram, and the certificate is about marginals.")
    strategy = certificate.mechanism.strategy
    settles = RECIPES[strategy].settles
    if certificate.favour is not (plan.favour if settles else Favour.ERRORS):
        refuse(f"The certificate favours something else than '{PLAN}'.")
    if certificate.predict != (plan.predict if settles else ""):
        refuse(f"The certificate's column to predict does not match '{PLAN}'.")
    if strategy not in RECIPES[plan.method].leads_to:
        refuse(f"'{PLAN}' asks for '{plan.method}', which does not lead to '{strategy}'.")


def check_spends(certificate: MarginalsCertificate, plan: Plan) -> tuple[Spend, ...]:
    """Check that the payments sum to the claim, exactly; return them.

    Raises:
        ReleaseError: They do not, or some noise does not match its share.
    """
    claim, mechanism = certificate.guarantee, certificate.mechanism
    epsilon, delta = claim.epsilon, claim.delta
    beyond = beyond_of(certificate)
    if claim != claim_of(epsilon, plan.neighbors, delta, unit=str(plan.unit), beyond=beyond):
        refuse("The certificate's statement does not follow from its epsilon and neighbours.")
    spends = tuple(spend_of(payment, plan.domain) for payment in mechanism.marginals)
    costs, spent = [spend.cost for spend in spends], mechanism.spent
    if sum(costs[1:], costs[0]) != spent:
        refuse("The spends do not add up to the certificate's total.")
    if spent.rho is None and (spent != Guarantee.pure(epsilon) or delta):
        refuse("The spend does not match the certificate's epsilon.")
    if spent.rho is not None and not (
        delta and covers(Guarantee.approximate(epsilon, delta), spent)
    ):
        refuse("The spend exceeds the certificate's epsilon and delta.")
    for spend in spends:
        if not is_paid(spend, plan):
            refuse(f"The noise on {spend.what} does not match its share of the budget.")
        if not spend.moments and len(spend.values) != _distances(spend, plan):
            refuse(
                "The certificate does not list one noisy distance for each pair of columns, "
                "or the rows that rules leave out of a histogram."
            )
    return spends


def spend_of(payment: Payment, domain: Domain) -> Spend:
    columns, names = payment.columns, domain.names
    mechanism = None if isinstance(payment.noise, ChoiceNoise) else payment.noise
    parts = [(one.columns, one.by, one.given) for one in payment.moments]
    used = {name for three in parts for part in three for name in part}
    if any(name not in names for name in (*columns, *used)):
        refuse("A spend names a column that the domain does not have.")
    if columns != tuple(name for name in domain.names if name in columns):
        refuse("A spend does not name its columns in the order of the domain.")
    moments = tuple(
        MomentSum(columns=columns, by=by, ranged=one.ranged, given=given)
        for one, three in zip(payment.moments, parts, strict=True)
        for columns, by, given in [[tuple(map(names.index, part)) for part in three]]
    )
    what = " and ".join(columns) if columns else payment.what
    if moments:
        what = name_sums(moments, names)
    elif not columns and what not in (DISTANCES, WORST, *GUESS_DISTANCES):
        refuse("The certificate lists a spend on something that no strategy measures.")
    return Spend(
        what=what,
        cost=payment.cost,
        mechanism=mechanism,
        columns=columns,
        values=payment.values,
        moments=moments,
    )


def check_moments(spends: Sequence[Spend], plan: Plan, measured: Sequence[Clique]) -> None:
    paid = [spend for spend in spends if spend.moments]
    listed = [tuple(replace(one, ranged=False) for one in spend.moments) for spend in paid]
    may_be = {each for what in listed for one in what for each in ranged_forms(one)}
    if listed != moment_queries(plan.moments, plan.domain, measured) or any(
        one not in may_be for spend in paid for one in spend.moments
    ):
        refuse(f"The sums of numbers do not match '{PLAN}'.")
    for spend in paid:
        cells = sum(math.prod(one.shape(plan.domain)) for one in spend.moments)
        if spend.columns or len(spend.values) != cells:
            refuse("The certificate does not list one noisy sum for each cell.")
        if not is_paid(spend, plan):
            refuse(f"The noise on {spend.what} does not match its share of the budget.")


def is_paid(spend: Spend, plan: Plan) -> bool:
    """Return whether the noise costs the payment; a choice has no noise.

    It does not with too little noise for the proof of Gaussian DP, or noise that can't be
    drawn."""
    noise = spend.mechanism
    if not spend.columns and spend.what == WORST:
        return noise is None
    if noise is None:
        return False
    if (
        not noise.fits(len(spend.values))
        or noise.describe().get("norm", Norm.MAX) != Norm.MAX
    ):
        return False
    try:
        return noise.price(_moves(spend, plan), spend.cost) == spend.cost
    except ArgumentError:
        return False


def _moves(spend: Spend, plan: Plan) -> Sensitivity:
    # An `ArgumentError` if it is about no pair at all.
    if spend.moments:
        return moment_sensitivity(spend.moments, plan.unit, plan.neighbors)
    each, squared = plan.unit.sensitivity(plan.neighbors), plan.unit.square(plan.neighbors)
    if spend.columns:
        return Sensitivity(each, squared, each)
    far, pairs = GRID * each, _pairs(plan)
    if spend.what == AS_IT_STANDS:
        known = plan.public.columns if plan.public else ()
        numbers = {
            plan.domain.names.index(name) for name in known if name in plan.domain.names
        }
        far *= sum(
            numbers >= set(pair) for pair in small_pairs(plan.domain.shape, plan.most_cells)
        )
        return Sensitivity(far, far**2, far)
    return Sensitivity(far * pairs, far**2 * pairs, far)


def _distances(spend: Spend, plan: Plan) -> int:
    if spend.columns:
        return int(plan.unit.shares_rows(plan.neighbors))
    if spend.what in GUESS_DISTANCES and not spend.columns:
        if plan.public is None:
            refuse(f"The certificate lists {spend.what}, and '{PLAN}' names no public table.")
        return 1 if spend.what == AS_IT_STANDS else _pairs(plan)
    return _pairs(plan) if spend.what == DISTANCES else 0


def _pairs(plan: Plan) -> int:
    return len(small_pairs(plan.domain.shape, plan.most_cells))


def record_of(
    archive: Archive,
    certificate: MarginalsCertificate,
    plan: Plan,
    *,
    spends: tuple[Spend, ...],
) -> MarginalsRecord:
    """Build and check the release's record, from certificate and noisy counts."""
    listed = [spend.columns for spend in spends if spend.columns]
    _check_measured(plan, certificate.mechanism.strategy, listed)
    record = record_read(archive, certificate, plan, spends=spends)
    check_moments(spends, plan, [clique for clique, _ in record.measured])
    if record.describe() != write(certificate.mechanism):
        refuse("The certificate's mechanism does not match its spends.")
    if not lists(archive, noisy_table(record.domain, record.table())):
        refuse(f"'{NOISY}' does not list the cells of the marginals in their order.")
    if (record.rows is not None) != plan.unit.shares_rows(plan.neighbors):
        refuse(
            "The number of rows must be public under replace-one of one row, and private "
            "otherwise."
        )
    if believed_total(record.domain.shape, record.measured) != record.total:
        refuse("The certificate's number of rows does not follow from the noisy counts.")
    if certificate.number_of_rows != record.rows_in_words:
        refuse("The certificate's sentence on the number of rows does not match the release.")
    seen = {one.domain.names for _, one in record.measured}
    told = {bar.names: bar.measured for bar in record.bars}
    if len(told) < len(record.bars) or any(told[n] != (n in seen) for n in told):
        refuse("The error bars name other histograms as measured than the spends.")
    if any(len(names) > 1 and names not in told for names in seen):
        refuse("The error bars leave out a histogram that was measured.")
    return record


def record_read(
    archive: Archive,
    certificate: MarginalsCertificate,
    plan: Plan,
    *,
    spends: tuple[Spend, ...],
) -> MarginalsRecord:
    domain, mechanism = plan.domain, certificate.mechanism
    listed = [spend for spend in spends if spend.columns]
    rows = certificate.released.rows
    values = _values(
        archive, domain, [domain.project(spend.columns).size for spend in listed]
    )
    measured = []
    for spend, counts in zip(listed, values, strict=True):
        assert spend.mechanism is not None
        part = domain.project(spend.columns)
        clique = tuple(domain.names.index(name) for name in part.names)
        left_out = spend.values[0] if spend.values else None
        one = NoisyMarginal(
            domain=part,
            values=counts,
            mechanism=spend.mechanism,
            guarantee=spend.cost,
            rows=rows,
            left_out=left_out,
        )
        measured.append((clique, one))
    return MarginalsRecord(
        domain=domain,
        neighbors=plan.neighbors,
        charged=plan.guarantee(certificate.guarantee.epsilon),
        spent=mechanism.spent,
        strategy=mechanism.strategy,
        total=float(certificate.released.total),
        rows=rows,
        measured=tuple(measured),
        spends=spends,
        bars=tuple(
            Bar(one.columns, one.measured, one.expected) for one in certificate.error_bars
        ),
    )


def _check_measured(plan: Plan, strategy: str, cliques: list[tuple[str, ...]]) -> None:
    measured = {name for clique in cliques for name in clique}
    for name in plan.domain.names:
        if name not in measured:
            refuse(
                f"Column '{name}' is in none of the histograms that the certificate lists."
            )
    groups = {tuple(n for n in plan.domain.names if n in group) for group in plan.groups}
    recipe = RECIPES[strategy]
    if recipe.is_whole:
        if cliques[-1:] != [plan.domain.names]:
            refuse("The strategy 'histogram' measures all columns in one, and those last.")
        groups.add(plan.domain.names)
    for clique in cliques:
        if len(clique) > recipe.widest and clique not in groups:
            refuse(f"The strategy '{strategy}' does not measure {' and '.join(clique)}.")


def _values(archive: Archive, domain: Domain, sizes: list[int]) -> list[Ints]:
    # In the order of measurement, shape (size,) each.
    width, cells = len(domain.columns) + 2, sum(sizes)
    pieces = [piece[width - 1] for piece in noisy_pieces(archive, width, cells)]
    counts = np.concatenate([np.zeros(0, dtype=np.int64), *map(as_numbers, pieces)])
    if len(counts) != cells:
        refuse(f"'{NOISY}' is not a table of the marginals that the certificate lists.")
    return np.split(counts, np.cumsum(sizes)[:-1])


def rows_in_force(
    archive: Archive,
    certificate: MarginalsCertificate,
    plan: Plan,
    *,
    record: MarginalsRecord,
) -> tuple[SyntheticTable, str]:
    """Return the rows and the sentence, if the rules allow every value."""
    rows = rows_of(archive, certificate, plan.domain)
    wanted = int(record.total) if plan.rows is None else plan.rows
    if rows.rows != wanted:
        refuse("The number of synthetic rows does not match the plan or the noisy counts.")
    rules = plan.check_model(plan.domain)
    try:
        synthetic = encode_rows(
            rows, record, int(certificate.drawing.seed), order=rules.order
        )
    except SynthError as error:
        raise ReleaseError(f"'{PARQUET}' does not hold values of the domain.") from error
    broken = np.flatnonzero(rules.find_broken(np.column_stack(synthetic.codes)))
    if len(broken):
        refuse(f"Row {broken[0] + 1:,} of '{PARQUET}' breaks the rules of '{PLAN}'.")
    if not rows.same(synthetic):
        refuse(f"'{PARQUET}' holds values that do not follow from the domain and the seed.")
    kept = " and all rules hold" if plan.rules else ""
    said = (
        f"{rows.rows:,} rows, the same in both files; their values follow from the domain "
        "and the"
    )
    return synthetic, f"{said} seed{kept}."


def public_in_force(plan: Plan, public: PublicTable | None) -> list[str]:
    """Return a sentence about the plan's public table, if any.

    Raises:
        ReleaseError: You gave another table.
    """
    if plan.public is None:
        if public is not None:
            refuse("You gave a public table, but the release used none.")
        return []
    said = f"The guess was a public table for which {plan.public.vouched_by} vouches"
    if public is None:
        return [
            OpenClaim(
                f"{said}, SHA-256 {plan.public.digest}; you did not give it (--public FILE), "
                "so neither the table nor the model's use of it was checked."
            )
        ]
    if public.source.digest != plan.public.digest:
        refuse(f"The public table is not the one that '{PLAN}' names by its digest.")
    return [f"{said}; your table has the same {plan.public.rows:,} rows, by SHA-256."]


def with_beliefs(
    record: MarginalsRecord,
    certificate: MarginalsCertificate,
    plan: Plan,
    *,
    rules: Rules,
    public: PublicTable | None,
) -> MarginalsRecord:
    """Return the record with the model's beliefs, if the guess's public table is at hand."""
    if plan.public is not None and public is None:
        return record
    seed, most = int(certificate.drawing.seed), plan.most_cells
    guess = None if public is None else public.guess

    def work_out() -> dict[Clique, Floats]:
        return rebuild(record, seed=seed, rules=rules, most_cells=most, public=guess)

    return replace(record, believed=Believed(work_out))


def encode_rows(
    rows: BundleRows, record: MarginalsRecord, seed: int, *, order: Pairs = ()
) -> SyntheticTable:
    """Return the rows as codes, with the columns in the order that the rules give."""
    domain = record.domain
    pieces = [encode_columns(domain, piece) for piece in rows.pieces()]
    read = [np.concatenate(parts) for parts in zip(*pieces, strict=True)]
    return decode(domain, read, seed=seed, order=order, laws=value_laws(record))
