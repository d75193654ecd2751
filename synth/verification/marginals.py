"""Checks of a release by marginals: its noisy counts, and rows by domain, seed and rules."""

from dataclasses import replace

import numpy as np

from synth.bundle import (
    CONDITIONS,
    NOISY,
    PARQUET,
    PLAN,
    Archive,
    MarginalsCertificate,
    noisy_table,
    write,
)
from synth.domain import Domain
from synth.errors import ReleaseError, SynthError
from synth.estimate import (
    RECIPES,
    Bar,
    Believed,
    Clique,
    Favour,
    MarginalsRecord,
    NoisyMarginal,
    PublicTable,
    Rules,
    Spend,
    believed_total,
    list_together,
    rebuild,
)
from synth.plans import Plan
from synth.rows import SyntheticTable
from synth.util import Floats, Ints
from synth.verification.bundled_rows import encode_rows, read_rows
from synth.verification.files import (
    as_numbers,
    check_plan_caveats,
    holds_table,
    read_noisy_pieces,
    refuse,
)
from synth.verification.payments import check_moments
from synth.verification.verdict import OpenClaim
from synth.verification.versions import other_algorithm


def check_plan(plan: Plan, certificate: MarginalsCertificate) -> None:
    """Check that the plan asks for such a release by a model.

    The certificate omits a delta that the plan allows and the release did not need.

    Args:
        plan: The plan in the bundle.
        certificate: The certificate of the release alone, without payments before and after
            it.

    Raises:
        RefutedError: The plan asks for another guarantee, method or target of the rows.
    """
    try:
        plan.check_size()
    except SynthError:
        refuse(f"'{PLAN}' is not a plan.")
    # If the certificate has no delta and spent no rho, the plan's delta was not needed.
    delta = certificate.guarantee.delta
    if delta != plan.delta and (delta or certificate.mechanism.spent.rho is not None):
        refuse(f"'{PLAN}' asks for another guarantee than the certificate gives.")
    check_plan_caveats(certificate, plan)
    # After the caveats of the plan, one about an unneeded delta may follow.
    caveats = certificate.caveats[len(CONDITIONS) + 1 :]
    if caveats != plan.caveats_of(certificate.mechanism.spent):
        refuse(f"The certificate does not describe the delta of '{PLAN}' correctly.")
    if not plan.by_model:
        refuse(f"'{PLAN}' asks for a histogram, and the certificate is about marginals.")
    strategy = certificate.mechanism.strategy
    # Only methods that settle rows on pairs of columns have a target or a column to predict.
    settles = RECIPES[strategy].settles
    if certificate.favour is not (plan.favour if settles else Favour.ERRORS):
        refuse(f"The certificate favours something else than '{PLAN}'.")
    if certificate.predict != (plan.predict if settles else ""):
        refuse(f"The certificate's column to predict does not match '{PLAN}'.")
    # A method may lead to another one: to its fallback, or to one that it chooses.
    if strategy not in RECIPES[plan.method].leads_to:
        refuse(f"'{PLAN}' asks for '{plan.method}', which does not lead to '{strategy}'.")


def check_record(
    archive: Archive,
    certificate: MarginalsCertificate,
    plan: Plan,
    *,
    spends: tuple[Spend, ...],
) -> MarginalsRecord:
    """Build and check the release's record, from certificate and noisy counts.

    Args:
        archive: The unpacked bundle.
        certificate: The certificate of the release alone.
        plan: The plan of the release.
        spends: The payments of the certificate, in order.

    Raises:
        RefutedError: Payments, noisy counts, number of rows or error bars do not fit.
    """
    cliques = [spend.columns for spend in spends if spend.columns]
    _check_measured(plan, certificate.mechanism.strategy, cliques)
    record = read_record(archive, certificate, plan, spends=spends)
    check_moments(spends, plan, [clique for clique, _ in record.measured])
    if record.describe() != write(certificate.mechanism):
        refuse("The certificate's mechanism does not match its spends.")
    if not holds_table(archive, noisy_table(record.domain, record.table())):
        refuse(f"'{NOISY}' does not list the cells of the marginals in their order.")
    if (record.rows is not None) != plan.unit.shares_rows(plan.neighbors):
        refuse(
            "The number of rows must be public under replace-one of one row, and private "
            "otherwise."
        )
    # The number of rows is the public one, or the estimate of the noisy histograms.
    if believed_total(record.domain.shape, record.measured) != record.total:
        refuse("The certificate's number of rows does not follow from the noisy counts.")
    if certificate.number_of_rows != record.rows_in_words:
        refuse("The certificate's sentence on the number of rows does not match the release.")
    _check_bars(record)
    return record


def _check_bars(record: MarginalsRecord) -> None:
    """Check that the error bars call those columns measured together that were.

    An error bar says how far off a pair (or group) of columns may be. Each measured histogram
    of several columns needs one, and no columns may have two.

    Raises:
        RefutedError: They do not.
    """
    # The names of the columns of each measured histogram.
    measured = {marginal.domain.names for _, marginal in record.measured}
    together = list_together(measured)
    is_measured = {bar.names: bar.measured for bar in record.bars}
    names_twice = len(is_measured) < len(record.bars)
    if names_twice or any(
        says_so != (names in together) for names, says_so in is_measured.items()
    ):
        refuse("The error bars name other histograms as measured than the spends.")
    if any(len(names) > 1 and names not in is_measured for names in measured):
        refuse("The error bars leave out a histogram that was measured.")


def read_record(
    archive: Archive,
    certificate: MarginalsCertificate,
    plan: Plan,
    *,
    spends: tuple[Spend, ...],
) -> MarginalsRecord:
    """Return the release's record, as certificate and noisy counts have it.

    Args:
        archive: The unpacked bundle.
        certificate: The certificate of the release alone.
        plan: The plan of the release.
        spends: The payments of the certificate, in order. Those with columns are histograms.

    Raises:
        RefutedError: The file of noisy counts has another number of counts.
    """
    rows = certificate.released.rows
    counted = [spend for spend in spends if spend.columns]
    sizes = [plan.domain.project(spend.columns).size for spend in counted]
    values = _noisy_counts(archive, plan.domain, sizes)
    measured = tuple(
        (
            tuple(plan.domain.names.index(name) for name in spend.columns),
            _read_marginal(spend, counts, plan.domain, rows=rows),
        )
        for spend, counts in zip(counted, values, strict=True)
    )
    return MarginalsRecord(
        domain=plan.domain,
        neighbors=plan.neighbors,
        # What the ledger was charged: this epsilon, with the delta of the plan.
        charged=plan.guarantee(certificate.guarantee.epsilon),
        spent=certificate.mechanism.spent,
        strategy=certificate.mechanism.strategy,
        total=float(certificate.released.total),
        rows=rows,
        measured=measured,
        spends=spends,
        bars=tuple(
            Bar(bar.columns, bar.measured, bar.expected) for bar in certificate.error_bars
        ),
    )


def _read_marginal(
    spend: Spend, counts: Ints, domain: Domain, *, rows: int | None
) -> NoisyMarginal:
    """Return the noisy histogram that a payment bought.

    Args:
        spend: The payment, which names the columns.
        counts: The noisy counts, shape (cells,).
        domain: The declared columns of the release.
        rows: The public number of rows of the table; None if it is private.
    """
    assert spend.mechanism is not None  # the noise, which only a private choice lacks
    return NoisyMarginal(
        domain=domain.project(spend.columns),
        values=counts,
        mechanism=spend.mechanism,
        guarantee=spend.cost,
        rows=rows,
        # Noisy rows that rules leave out, if the number of all rows is public.
        left_out=spend.values[0] if spend.values else None,
    )


def _check_measured(plan: Plan, strategy: str, cliques: list[tuple[str, ...]]) -> None:
    """Check that the strategy measures such histograms, and each column in one of them.

    Args:
        plan: The plan, with the groups of columns that the steward asks for.
        strategy: The name of the method that chose the histograms.
        cliques: The names of the columns of each measured histogram, in order.

    Raises:
        RefutedError: A column is in none, or a histogram has too many columns.
    """
    measured = {name for clique in cliques for name in clique}
    for name in plan.domain.names:
        if name not in measured:
            refuse(
                f"Column '{name}' is in none of the histograms that the certificate lists."
            )
    # The steward's groups, with their columns in the order of the domain.
    groups = {
        tuple(name for name in plan.domain.names if name in group) for group in plan.groups
    }
    recipe = RECIPES[strategy]
    # ``is_whole``: one histogram has all columns, measured after the number of rows.
    if recipe.is_whole:
        if cliques[-1:] != [plan.domain.names]:
            refuse("The strategy 'histogram' measures all columns in one, and those last.")
        groups.add(plan.domain.names)
    # ``widest``: the most columns of a histogram that is none of these groups.
    for clique in cliques:
        if len(clique) > recipe.widest and clique not in groups:
            refuse(f"The strategy '{strategy}' does not measure {' and '.join(clique)}.")


def _noisy_counts(archive: Archive, domain: Domain, sizes: list[int]) -> list[Ints]:
    """Return the noisy counts of each histogram, in the order of measurement.

    Args:
        archive: The unpacked bundle.
        domain: The declared columns.
        sizes: The number of cells of each histogram.

    Returns:
        An array of shape (size,) for each histogram.

    Raises:
        RefutedError: The file of noisy counts has another number of counts.
    """
    # The number of the histogram comes first, then the labels, then the count.
    width = len(domain.columns) + 2
    cells = sum(sizes)
    pieces = [piece[width - 1] for piece in read_noisy_pieces(archive, width, cells)]
    # The empty array makes the type right if the file has no lines.
    counts = np.concatenate([np.zeros(0, dtype=np.int64), *map(as_numbers, pieces)])
    if len(counts) != cells:
        refuse(f"'{NOISY}' is not a table of the marginals that the certificate lists.")
    return np.split(counts, np.cumsum(sizes)[:-1])


def check_rows(
    archive: Archive,
    certificate: MarginalsCertificate,
    plan: Plan,
    *,
    record: MarginalsRecord,
) -> tuple[SyntheticTable, str]:
    """Return the bundle's rows and the sentence, if the rules allow every value.

    Args:
        archive: The unpacked bundle.
        certificate: The bundle's certificate, with the seed of the drawing.
        plan: The plan of the release, with the rules on values.
        record: The noisy counts of the release.

    Raises:
        RefutedError: Their number is wrong, a row breaks a rule, or a value does not follow
            from its cell and the seed.
        ReleaseError: A value is not in the domain.
    """
    rows = read_rows(archive, certificate, plan.domain)
    expected = int(record.total) if plan.rows is None else plan.rows
    if rows.rows != expected:
        refuse("The number of synthetic rows does not match the plan or the noisy counts.")
    rules = plan.check_model(plan.domain)
    try:
        synthetic = encode_rows(
            rows, record, int(certificate.drawing.seed), order=rules.order
        )
    except SynthError as error:
        raise ReleaseError(f"'{PARQUET}' does not hold values of the domain.") from error
    # The numbers of the rows that break a rule; the codes have the shape (rows, columns).
    broken = np.flatnonzero(rules.find_broken(np.column_stack(synthetic.codes)))
    if len(broken):
        refuse(f"Row {broken[0] + 1:,} of '{PARQUET}' breaks the rules of '{PLAN}'.")
    # Another algorithm may draw other values within a cell.
    if other_algorithm(certificate) is not None:
        return synthetic, f"{rows.rows:,} rows of the domain, the same in both files."
    if not rows.same(synthetic):
        refuse(f"'{PARQUET}' holds values that do not follow from the domain and the seed.")
    rules_hold = " and all rules hold" if plan.rules else ""
    sentence = (
        f"{rows.rows:,} rows, the same in both files; their values follow from the domain "
        "and the"
    )
    return synthetic, f"{sentence} seed{rules_hold}."


def check_public(plan: Plan, public: PublicTable | None) -> list[str]:
    """Return a sentence about the plan's public table; none if the plan has no such table.

    Args:
        plan: The plan, which names the public table by its digest.
        public: The public table that the verifier gave, if any.

    Raises:
        RefutedError: That is another table, or the release used none.
    """
    if plan.public is None:
        if public is not None:
            refuse("You gave a public table, but the release used none.")
        return []
    guess = f"The guess was a public table for which {plan.public.vouched_by} vouches"
    if public is None:
        return [
            OpenClaim(
                f"{guess}, SHA-256 {plan.public.digest}; you did not give it (--public "
                "FILE), so neither the table nor the model's use of it was checked."
            )
        ]
    if public.source.digest != plan.public.digest:
        refuse(f"The public table is not the one that '{PLAN}' names by its digest.")
    return [f"{guess}; your table has the same {plan.public.rows:,} rows, by SHA-256."]


def add_beliefs(
    record: MarginalsRecord,
    certificate: MarginalsCertificate,
    plan: Plan,
    *,
    rules: Rules,
    public: PublicTable | None,
) -> MarginalsRecord:
    """Return the record with the model's expected rows by cell, which are computed when used.

    A model that began with a public table needs it here too; without it, the record stays
    as it is.

    Args:
        record: The noisy counts.
        certificate: The certificate of the release, with the seed.
        plan: The plan of the release.
        rules: The plan's rules.
        public: The public table, if it is at hand.
    """
    if plan.public is not None and public is None:
        return record
    guess = None if public is None else public.guess

    def believe() -> dict[Clique, Floats]:
        """Return the expected rows by cell, for each set of columns in the model."""
        return rebuild(
            record,
            plan,
            seed=int(certificate.drawing.seed),
            rules=rules,
            public=guess,
        )

    return replace(record, believed=Believed(believe))
