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
from synth.domain import LinkedPackage
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


@dataclass(frozen=True, kw_only=True)
class CheckedLinks:
    """The findings about a bundle of linked tables.

    Attributes:
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
    """Check all claims of a bundle of linked tables.

    Args:
        redraw: Whether to draw all rows again.
    """
    plan = _plan(archive, signed)
    check_names(archive, linked_names(plan.package, _formats(archive, plan.package)))
    spends = _spends(archive, signed, plan)
    counts = sum(len(one.values) for one in spends)
    described = describe_linked(
        signed, plan.package, listed_in(archive, signed, (DATA_PACKAGE,))
    )
    contents = linked_texts(signed, plan) | described
    check_contents(archive, contents, "the certificate and the plan")
    with Folder() as folder:
        write_noisy(spends, folder / NOISY)
        if not same_bytes(folder / NOISY, archive.path(NOISY)):
            refuse(f"'{NOISY}' does not have Synth's form.")
    checks = [
        "The certificate has the published form.",
        f"The {len(spends)} spends add up to the guarantee exactly, and each cost buys its "
        "noise.",
        f"{counts:,} noisy counts fit the measured cells.",
    ]
    linked = _check_keys(archive, signed, plan.package)
    drawn = (
        _draw_again(archive, signed, plan, spends=spends) if redraw else OpenClaim(NOT_DRAWN)
    )
    means = set[Means]()
    if not isinstance(drawn, OpenClaim):
        means |= {Means.DRAWN_ROWS, Means.COUNTED_ROWS}
    if not isinstance(linked, OpenClaim):
        means.add(Means.COUNTED_ROWS)
    return CheckedLinks(
        plan=plan, spends=spends, checks=[*checks, linked, drawn], means=means
    )


def _formats(archive: Archive, package: LinkedPackage) -> list[str]:
    """Return the formats in which the bundle holds rows of any table."""
    names = [one.name for one in package.tables]
    found = [
        kind for kind in BUNDLED_TABLES if any(f"{name}.{kind}" in archive for name in names)
    ]
    if not found:
        refuse("The bundle holds no rows.")
    return found


def check_record(
    archive: Archive, signed: LinkedCertificate, plan: LinkedPlan, *, ledger: Ledger
) -> str:
    """Check the spend, and all that was paid or seen before, in the ledger; return the
    sentence.
    """
    check_prepared(signed, ledger)
    alone = replace(signed, guarantee=linked_claim(plan))
    return check_ledger(archive, alone, ledger)


def _plan(archive: Archive, signed: LinkedCertificate) -> LinkedPlan:
    plan = read_plan(archive, LinkedPlan.from_json, "a plan of linked tables")
    check_plan_form(archive, plan)
    if signed.caveats != linked_caveats(plan):
        refuse(
            f"'{PLAN}' reads the rows of a table in another way than the certificate says."
        )
    package = plan.package
    check_declaration(signed, package.provenance)
    said = (signed.guarantee, signed.neighbors, signed.privacy_unit, signed.max_rows)
    most = max(one.most for one in package.tables)
    paid = preparations_in(signed)
    if said != (linked_claim(plan, paid), plan.neighbors, str(plan.unit), most):
        refuse(f"'{PLAN}' asks for another guarantee than the certificate gives.")
    if signed.rows_fit != linked_rows_fit(package, paid):
        refuse(
            "The certificate's sentence about the rows that fit does not follow from its "
            "numbers."
        )
    if {*signed.rows} != {one.name for one in package.tables}:
        refuse(f"'{PLAN}' is about other tables than the certificate.")
    return plan


def _spends(
    archive: Archive, signed: LinkedCertificate, plan: LinkedPlan
) -> list[LinkedSpend]:
    # Each noisy count is checked against its cost.
    package, account = plan.package, plan.account(plan.guarantee)
    lengths = [one.numbers for one in signed.payments]
    spends = []
    for payment, some in zip(signed.payments, _noisy(archive, lengths), strict=True):
        try:
            marginals = tuple(LinkedMarginal.read(one, package) for one in payment.marginals)
        except (KeyError, TypeError, ValueError):
            refuse("The certificate names a histogram that the package does not have.")
        if isinstance(payment.noise, ChoiceNoise):
            refuse("The certificate names no noise.")
        spend = LinkedSpend(
            marginals=marginals,
            values=some,
            mechanism=payment.noise,
            cost=payment.cost,
            is_distance=payment.is_distance,
        )
        if not noise_is_paid(package, account, spend) or payment != payment_of(
            package, spend
        ):
            refuse(f"The noise of '{payment.what}' does not match its cost.")
        spends.append(spend)
    if sum(account.count_spent(one.cost) for one in spends) != account.total:
        refuse("The spends do not add up to the guarantee.")
    if signed.number_of_rows != "; ".join(roots_in_words(plan, spends)):
        refuse("The certificate describes another number of roots than the counts.")
    return spends


def _noisy(archive: Archive, lengths: list[int]) -> Iterator[Ints]:
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
    # All keys must resolve, in the files of rows that are there.
    held: dict[str, pa.Table] = {}
    for one in package.tables:
        names = [guard_cell(name) for name in one.key_columns]
        name = f"{one.name}.csv"
        if name not in archive:
            return OpenClaim(
                "The rows are not available as CSV, so the links were not checked."
            )
        kinds = pa_csv.ConvertOptions(
            column_types=dict.fromkeys(names, pa.string()),
            include_columns=names,
            strings_can_be_null=False,
        )
        try:
            held[one.name] = pa_csv.read_csv(archive.path(name), convert_options=kinds)
        except (pa.ArrowException, KeyError, OSError):
            refuse(f"'{name}' lacks a key of the package.")
        if held[one.name].num_rows != signed.rows[one.name]:
            refuse(f"'{name}' has another number of rows than the certificate says.")
        if one.parent is None or one.key:
            keys = _join_keys(held[one.name], (one.root_key, *one.key))
            if pc.count_distinct(keys).as_py() != len(keys):
                refuse(f"Two rows of '{one.name}' have one key.")
        if one.parent is not None:
            parent = package.tables[one.parent]
            here = _join_keys(held[one.name], (one.root_key, *one.link))
            there = _join_keys(held[parent.name], (parent.root_key, *parent.key))
            if not pc.all(pc.is_in(here, value_set=there)).as_py() and len(here):
                refuse(f"A row of '{one.name}' links to no row of '{parent.name}'.")
    return "All keys of the tables resolve: each row links to exactly one row."


def _join_keys(table: pa.Table, names: tuple[str, ...]) -> pa.Array:
    columns = [table[guard_cell(name)].combine_chunks() for name in names]
    return columns[0] if len(columns) == 1 else pc.binary_join_element_wise(*columns, "\x1f")


def _draw_again(
    archive: Archive,
    signed: LinkedCertificate,
    plan: LinkedPlan,
    *,
    spends: list[LinkedSpend],
) -> str:
    # Measures and draws again from the noisy counts and the seed.
    package, seed = plan.package, int(signed.drawing.seed)
    model = replay(package, plan.account(plan.guarantee), spends)
    tables = linked_tables(package, model.draw(seed), seed)
    if {name: table.num_rows for name, table in tables.items()} != {**signed.rows}:
        refuse(
            "The numbers of synthetic rows do not follow from the noisy counts and the seed."
        )
    writers = table_files(package, tables, _formats(archive, package))
    same = 0
    with Folder() as folder:
        for name, writer in writers.items():
            writer(folder / name)
            same += same_bytes(folder / name, archive.path(name))
    # A file is one of few, and half of them may hold any rows: all must be the same.
    return say_agreement(
        same, len(writers), "files of rows", versions=signed.versions, least=1
    )
