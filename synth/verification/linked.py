"""A bundle of linked tables: costs and noise, the links, and the rows drawn again. PUBLIC."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pa_csv

from synth import limits
from synth.bundle import (
    BUNDLED_TABLES,
    DATA_PACKAGE,
    NOISY,
    PLAN,
    Archive,
    ChoiceNoise,
    LinkedCertificate,
    LinkedPayment,
    check_declaration,
    check_prepared,
    describe_linked,
    guard_cell,
    linked_caveats,
    linked_claim,
    linked_names,
    linked_rows_fit,
    linked_texts,
    payment_of,
    preparations_in,
    roots_in_words,
    table_files,
    write_noisy,
)
from synth.domain import LinkedPackage, LinkedTable
from synth.door import Ledger
from synth.foreign import Folder
from synth.linked import LinkedMarginal, LinkedSpend, noise_is_paid, replay
from synth.plans import LinkedPlan
from synth.rows import linked_tables
from synth.util import Ints
from synth.verification.files import (
    check_contents,
    check_ledger,
    check_names,
    check_plan_form,
    listed_in,
    read_plan,
    refuse,
    same_bytes,
)
from synth.verification.given import Means
from synth.verification.redrawn import NOT_DRAWN, say_agreement
from synth.verification.verdict import OpenClaim
from synth.verification.versions import explained_otherwise, other_algorithm

# ASCII's separator of fields, which joins the columns of a key.
_UNIT_SEPARATOR = "\x1f"


@dataclass(frozen=True, kw_only=True)
class CheckedLinks:
    """The findings about a bundle of linked tables.

    Attributes:
        plan: The plan of the release.
        spends: The noisy counts of each spend.
        checks: A sentence about each claim.
        means: The checks that settle parts of the certificate.
    """

    plan: LinkedPlan
    spends: list[LinkedSpend]
    checks: list[str]
    means: set[Means]


def check_linked(
    archive: Archive, signed: LinkedCertificate, *, redraw: bool
) -> CheckedLinks:
    """Check all claims of a bundle of linked tables, except the ledger.

    Args:
        archive: The unpacked bundle.
        signed: The bundle's certificate.
        redraw: Whether to draw all rows again, which is as slow as the release.

    Raises:
        RefutedError: A claim does not hold.
    """
    plan = _plan(archive, signed)
    names = linked_names(plan.package, _formats(archive, plan.package))
    otherwise = check_names(archive, names, signed)
    spends = _spends(archive, signed, plan)
    counts = sum(len(spend.values) for spend in spends)
    otherwise += _check_written(archive, signed, plan, spends=spends)
    links_checked = _check_keys(archive, signed, plan.package)
    rows_checked: str = OpenClaim(NOT_DRAWN)
    other = other_algorithm(signed)
    if other is not None:
        rows_checked = other
    elif redraw:
        rows_checked = _draw_again(archive, signed, plan, spends=spends)
    checks = [
        "The certificate has the published form.",
        f"The {len(spends)} spends add up to the guarantee exactly, and each cost buys its "
        "noise.",
        f"{counts:,} noisy counts fit the measured cells.",
        links_checked,
        rows_checked,
        *explained_otherwise(signed, otherwise),
    ]
    means = set[Means]()
    if not isinstance(rows_checked, OpenClaim):
        means |= {Means.DRAWN_ROWS, Means.COUNTED_ROWS}
    # This check counts the rows of each table, too.
    if not isinstance(links_checked, OpenClaim):
        means.add(Means.COUNTED_ROWS)
    return CheckedLinks(plan=plan, spends=spends, checks=checks, means=means)


def _check_written(
    archive: Archive,
    signed: LinkedCertificate,
    plan: LinkedPlan,
    *,
    spends: list[LinkedSpend],
) -> list[str]:
    """Check the texts and the noisy counts, which certificate and plan give byte for byte.

    Args:
        archive: The unpacked bundle.
        signed: The bundle's certificate.
        plan: The plan of the release.
        spends: The payments in order, each with its noisy counts.

    Returns:
        The names of texts that another version wrote otherwise.

    Raises:
        RefutedError: A file has other bytes.
    """
    listed_files = listed_in(archive, signed, (DATA_PACKAGE,))
    contents = linked_texts(signed, plan)
    contents |= describe_linked(signed, plan.package, listed_files)
    otherwise = check_contents(
        archive, contents, "the certificate and the plan", certificate=signed
    )
    with Folder() as folder:
        write_noisy(spends, folder / NOISY)
        if not same_bytes(folder / NOISY, archive.path(NOISY)):
            refuse(f"'{NOISY}' does not have Synth's form.")
    return otherwise


def _formats(archive: Archive, package: LinkedPackage) -> list[str]:
    """Return the names of the formats in which the bundle holds rows of any table.

    Raises:
        RefutedError: It holds no rows.
    """
    formats = [
        kind
        for kind in BUNDLED_TABLES
        if any(f"{table.name}.{kind}" in archive for table in package.tables)
    ]
    if not formats:
        refuse("The bundle holds no rows.")
    return formats


def check_record(
    archive: Archive, signed: LinkedCertificate, plan: LinkedPlan, *, ledger: Ledger
) -> str:
    """Check the spend, and all that was paid or looked at before it, in the ledger.

    The sentence is an `OpenClaim` (not checked) if the ledger's key is absent.

    Raises:
        ReleaseError: The ledger lacks a spend, or records what the certificate leaves out.
    """
    check_prepared(signed, ledger)
    # The ledger's spend of the release pays for the release alone.
    of_release = replace(signed, guarantee=linked_claim(plan))
    return check_ledger(archive, of_release, ledger)


def _plan(archive: Archive, signed: LinkedCertificate) -> LinkedPlan:
    """Return the bundle's plan, if the certificate has its guarantee, caveats and tables.

    Raises:
        RefutedError: It is no plan of linked tables, or the certificate says something else.
    """
    plan = read_plan(archive, LinkedPlan.from_json, "a plan of linked tables")
    check_plan_form(archive, plan, signed)
    if signed.caveats != linked_caveats(plan):
        refuse(
            f"'{PLAN}' reads the rows of a table in another way than the certificate says."
        )
    package = plan.package
    check_declaration(signed, package.provenance)
    protection = (signed.guarantee, signed.neighbors, signed.privacy_unit, signed.max_rows)
    # The most rows of any table under one row of the table above it.
    max_rows = max(table.most for table in package.tables)
    paid = preparations_in(signed)
    if protection != (linked_claim(plan, paid), plan.neighbors, str(plan.unit), max_rows):
        refuse(f"'{PLAN}' asks for another guarantee than the certificate gives.")
    if signed.rows_fit != linked_rows_fit(package, paid):
        refuse(
            "The certificate's sentence about the rows that fit does not follow from its "
            "numbers."
        )
    if {*signed.rows} != {table.name for table in package.tables}:
        refuse(f"'{PLAN}' is about other tables than the certificate.")
    return plan


def _spends(
    archive: Archive, signed: LinkedCertificate, plan: LinkedPlan
) -> list[LinkedSpend]:
    """Return the payments, if each cost buys its noise and all add up to the guarantee.

    Returns:
        The payments in the order of the certificate, each with its noisy counts.

    Raises:
        RefutedError: They do not, or the certificate names another number of roots (rows of
            the top table) than the noisy counts give.
    """
    # It counts all costs in one unit, an epsilon or a rho.
    account = plan.account(plan.guarantee)
    lengths = [payment.numbers for payment in signed.payments]
    noisy_counts = _read_noisy(archive, lengths)
    spends: list[LinkedSpend] = []
    for payment, values in zip(signed.payments, noisy_counts, strict=True):
        spend = _read_spend(payment, values, plan.package)
        is_paid = noise_is_paid(plan.package, account, spend)
        if not is_paid or payment != payment_of(plan.package, spend):
            refuse(f"The noise of '{payment.what}' does not match its cost.")
        spends.append(spend)
    # Together, they must use up the whole budget.
    if sum(account.count_spent(spend.cost) for spend in spends) != account.total:
        refuse("The spends do not add up to the guarantee.")
    if signed.number_of_rows != "; ".join(roots_in_words(plan, spends)):
        refuse("The certificate describes another number of roots than the counts.")
    return spends


def _read_spend(payment: LinkedPayment, values: Ints, package: LinkedPackage) -> LinkedSpend:
    """Return a payment of the certificate with its noisy counts.

    Args:
        payment: The payment.
        values: The noisy counts or distances that were paid for, shape (numbers,).
        package: The declared tables and their links.

    Raises:
        RefutedError: It names a histogram that these tables do not have, or no noise.
    """
    try:
        marginals = tuple(
            LinkedMarginal.read(marginal, package) for marginal in payment.marginals
        )
    except (KeyError, TypeError, ValueError):
        refuse("The certificate names a histogram that the package does not have.")
    if isinstance(payment.noise, ChoiceNoise):  # the law of a private choice
        refuse("The certificate names no noise.")
    return LinkedSpend(
        marginals=marginals,
        values=values,
        mechanism=payment.noise,
        cost=payment.cost,
        is_distance=payment.is_distance,
    )


def _read_noisy(archive: Archive, lengths: list[int]) -> Iterator[Ints]:
    """Yield the noisy counts of each payment, in order.

    Args:
        archive: The unpacked bundle.
        lengths: The number of counts of each payment, by the certificate.

    Raises:
        RefutedError: The file is too large, is no table of counts, or has another number.
    """
    if archive.path(NOISY).stat().st_size > limits.RECORD_MB * 2**20:
        refuse(f"'{NOISY}' is larger than {limits.RECORD_MB} MB, the limit.")
    names = ("payment", "cell", "noisy_count")
    kinds = pa_csv.ConvertOptions(column_types=dict.fromkeys(names, pa.int64()))
    try:
        table = pa_csv.read_csv(archive.path(NOISY), convert_options=kinds)
        values = np.asarray(table["noisy_count"].to_numpy())
    except (pa.ArrowException, KeyError, OSError):
        refuse(f"'{NOISY}' is not a table of noisy counts.")
    if len(values) != sum(lengths) or values.dtype != np.int64:
        refuse(f"'{NOISY}' does not have as many counts as the certificate says.")
    return iter(np.split(values, np.cumsum(lengths)[:-1]))


def _check_keys(archive: Archive, signed: LinkedCertificate, package: LinkedPackage) -> str:
    """Check that each row links to exactly one row, in the CSV files; return the sentence.

    A row has the key of its root, the row of the top table that it belongs to, and perhaps a
    key of its own. It links to the row of the table above it that has the same keys.

    Args:
        archive: The unpacked bundle.
        signed: The bundle's certificate, with the number of rows of each table.
        package: The declared tables, each after the one above it.

    Returns:
        The sentence; an `OpenClaim` (not checked) if a table is not there as CSV.

    Raises:
        RefutedError: A key occurs twice, a link leads nowhere, or a number of rows is wrong.
    """
    keys_by_table: dict[str, pa.Table] = {}
    for table in package.tables:
        if f"{table.name}.csv" not in archive:
            return OpenClaim(
                "The rows are not available as CSV, so the links were not checked."
            )
        rows = _read_keys(archive, table)
        keys_by_table[table.name] = rows
        if rows.num_rows != signed.rows[table.name]:
            refuse(
                f"'{table.name}.csv' has another number of rows than the certificate says."
            )
        # No table links to one without a key of its own, so its rows need not differ.
        if table.parent is None or table.key:
            keys = _join_keys(rows, (table.root_key, *table.key))
            if pc.count_distinct(keys).as_py() != len(keys):
                refuse(f"Two rows of '{table.name}' have one key.")
        if table.parent is not None:
            parent = package.tables[table.parent]
            links = _join_keys(rows, (table.root_key, *table.link))
            parent_keys = _join_keys(
                keys_by_table[parent.name], (parent.root_key, *parent.key)
            )
            # Of no links at all, Arrow says null and not true.
            if len(links) and not pc.all(pc.is_in(links, value_set=parent_keys)).as_py():
                refuse(f"A row of '{table.name}' links to no row of '{parent.name}'.")
    return "All keys of the tables resolve: each row links to exactly one row."


def _read_keys(archive: Archive, table: LinkedTable) -> pa.Table:
    """Return the columns of keys of a table's rows, as texts, from its CSV file.

    Raises:
        RefutedError: The file lacks such a column, or is no CSV file.
    """
    name = f"{table.name}.csv"
    columns = [guard_cell(column) for column in table.key_columns]
    as_texts = pa_csv.ConvertOptions(
        column_types=dict.fromkeys(columns, pa.string()),
        include_columns=columns,
        strings_can_be_null=False,
    )
    try:
        return pa_csv.read_csv(archive.path(name), convert_options=as_texts)
    except (pa.ArrowException, KeyError, OSError):
        refuse(f"'{name}' lacks a key of the package.")


def _join_keys(table: pa.Table, names: tuple[str, ...]) -> pa.Array:
    """Return one key per row, shape (rows,).

    Args:
        table: The columns of keys, as texts.
        names: The declared names of the columns that make the key. Several are joined by a
            control character that separates them.
    """
    columns = [table[guard_cell(name)].combine_chunks() for name in names]
    return (
        columns[0]
        if len(columns) == 1
        else pc.binary_join_element_wise(*columns, _UNIT_SEPARATOR)
    )


def _draw_again(
    archive: Archive,
    signed: LinkedCertificate,
    plan: LinkedPlan,
    *,
    spends: list[LinkedSpend],
) -> str:
    """Draw all rows again from the noisy counts and the seed; return the sentence.

    Args:
        archive: The unpacked bundle.
        signed: The bundle's certificate, with the seed and the numbers of rows.
        plan: The plan of the release.
        spends: The payments in order, each with its noisy counts.

    Returns:
        The sentence; an `OpenClaim` (not checked) if files differ and a machine that rounds
        differently drew the rows.

    Raises:
        RefutedError: Numbers of rows or files differ on a machine that rounds the same.
    """
    package = plan.package
    seed = int(signed.drawing.seed)
    # The model asks for its measurements again, and the payments answer.
    model = replay(package, plan.account(plan.guarantee), spends)
    tables = linked_tables(package, model.draw(seed), seed)
    if {name: table.num_rows for name, table in tables.items()} != {**signed.rows}:
        refuse(
            "The numbers of synthetic rows do not follow from the noisy counts and the seed."
        )
    writers = table_files(package, tables, _formats(archive, package))
    same_files = 0
    with Folder() as folder:
        for name, writer in writers.items():
            writer(folder / name)
            same_files += same_bytes(folder / name, archive.path(name))
    # A file is one of few, and half of them may hold any rows: all must be the same.
    return say_agreement(
        same_files,
        len(writers),
        "files of rows",
        versions=signed.versions,
        least_share=1,
    )
