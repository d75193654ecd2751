"""A public table with the same columns as a guess: a file, a frame, or a synthetic release.

A refusal may show its public numbers. DOOR: only this module gets both tables, to check that
they differ."""

import hashlib
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from synth import estimate
from synth.domain import Domain
from synth.errors import ArgumentError, SynthError
from synth.estimate import EarlierCost, PublicSource, PublicTable, relation_of
from synth.foreign import read_blocks
from synth.private import counting
from synth.private.table import PrivateTable, TableLike, open_any
from synth.util import Codes

if TYPE_CHECKING:
    import pyarrow as pa

# Smallest share of a public column's values that must be declared.
MIN_DECLARED_SHARE = 0.5


def read_public(source: TableLike, domain: Domain, vouched_by: str) -> PublicTable:
    """Read a public table as the guess of a release.

    Args:
        source: A file of any kind, a frame, or the bundle of a synthetic release, which is
            verified first.
        domain: The declared columns of the release; the public table may lack some.
        vouched_by: The person who declares it public.

    Raises:
        SynthError: It cannot be read or verified, has none of the declared columns, other
            codes, or no rows. Or nobody vouches for it.
    """
    cost = EarlierCost()
    if isinstance(source, str | Path) and _is_bundle(source):
        source, cost = _read_release(Path(source))
    table = _open_public_table(source, domain.names)
    shared_names = tuple(name for name in domain.names if name in table.header)
    if not shared_names:
        raise ArgumentError(
            "The public table has none of the declared columns, such as "
            f"'{domain.names[0]}'; a guess needs the same names."
        )
    shared_domain = domain.project(shared_names)
    rows = _check_public_rows(table, shared_domain)
    row_codes = counting.codes(table, shared_domain)
    # Sorted by the first column, then the second, and so on, as the order says nothing.
    row_order = np.lexsort(row_codes[::-1])
    sorted_codes = [column[row_order] for column in row_codes]
    fitting_rows = len(row_order)
    if not fitting_rows:
        raise ArgumentError(f"The public table has no rows that fit; it has {rows:,} rows.")
    column_numbers = [domain.names.index(name) for name in shared_names]
    guess = estimate.PublicGuess(
        domain.shape, dict(zip(column_numbers, sorted_codes, strict=True)), fitting_rows
    )
    public_source = PublicSource(
        digest=_digest(shared_domain, sorted_codes),
        vouched_by=vouched_by,
        columns=shared_names,
        rows=fitting_rows,
        epsilon=cost.epsilon,
        delta=cost.delta,
        relation=cost.relation,
    )
    return PublicTable(
        source=public_source, guess=guess, domain=domain, left_out=rows - fitting_rows
    )


def _check_public_rows(table: PrivateTable, domain: Domain) -> int:
    """Return the number of rows of a public table.

    Raises:
        ArgumentError: There are none, or more than half of the values of a column are not
            declared.
    """
    shares = counting.fit_shares(table, domain)
    if not shares.rows:
        raise ArgumentError("The public table has a header but no rows.")
    for name, fitting in shares.columns.items():
        if fitting < MIN_DECLARED_SHARE * shares.rows:
            raise ArgumentError(
                f"The public table has other codes than are declared in column '{name}': "
                f"only {fitting:,} of {shares.rows:,} values fit."
            )
    return shares.rows


def public_apart(
    source: TableLike, domain: Domain, vouched_by: str, *, table: PrivateTable
) -> PublicTable:
    """Read a public table as the guess of a release.

    Args:
        source: As in `read_public`.
        domain: The declared columns of the release.
        vouched_by: The person who declares it public.
        table: The confidential table, which must not be the public one.

    Raises:
        SynthError: It is the confidential table, or `read_public` refuses it.
    """
    refuse_itself(source, table)
    return read_public(source, domain, vouched_by)


def public_reader(source: TableLike | None) -> Callable[[Domain], PublicTable] | None:
    """Return a function that reads the public table of a release by its domain.

    A verification calls it when it knows the domain. None without a public table.
    """
    if source is None:
        return None
    return lambda domain: read_public(source, domain, "the verifier")


def refuse_itself(public: TableLike, table: PrivateTable) -> None:
    """Refuse the confidential table as its own guess, by comparing the bytes of both.

    Only the person who gave both learns that; no ledger and no file records it.

    Raises:
        ArgumentError: Both are the same table.
    """
    if _is_bundle(public):
        return
    if _digest_content(_open_public_table(public, table.header)) == _digest_content(table):
        raise ArgumentError(
            "The public table is the confidential table itself; a public one must be public "
            "without this release."
        )


def _open_public_table(source: TableLike, names: Sequence[str]) -> PrivateTable:
    """Open the columns of a public table.

    Raises:
        ArgumentError: It cannot be opened; the sentence says that it is the public one.
    """
    try:
        return open_any(source, names)
    except SynthError as error:
        raise ArgumentError(f"The public table cannot be used: {error}") from None


def _is_bundle(source: TableLike) -> bool:
    return isinstance(source, str | Path) and Path(source).suffix == ".zip"


def _digest(domain: Domain, rows: list[Codes]) -> str:
    """Return the SHA-256 digest of a public table, in hexadecimal digits.

    Args:
        domain: The columns that it shares with the release.
        rows: For each of these, the cell of every row, sorted.
    """
    digest = hashlib.sha256(json.dumps([domain.names, domain.shape]).encode())
    # In 32-bit numbers, lowest byte first, so that every machine finds the same digest.
    for column in rows:
        digest.update(np.ascontiguousarray(column, dtype="<i4").tobytes())
    return digest.hexdigest()


def _read_release(path: Path) -> tuple["pa.Table", EarlierCost]:
    """Return the synthetic rows of a bundle, and what its release cost with its own guess.

    Raises:
        ArgumentError: The bundle does not verify, or it holds answers.
    """
    import pyarrow as pa
    from pyarrow import parquet

    from synth.bundle import PARQUET
    from synth.verification import VerifiedRelease, verify

    try:
        checked = verify(path)
    except SynthError as error:
        raise ArgumentError(
            f"The bundle that should be the guess does not verify: {error}"
        ) from None
    if not isinstance(checked, VerifiedRelease):
        raise ArgumentError("The bundle that should be the guess holds answers, and no rows.")
    plan = checked.plan
    claim = checked.certificate.guarantee
    relation = relation_of(plan.neighbors.value, by_person=bool(plan.unit.person))
    cost = EarlierCost(claim.epsilon, claim.delta, relation)
    if plan.public:  # its own guess may come from a release that had a cost too
        cost = cost.with_guess(plan.public.earlier)
    return parquet.read_table(pa.BufferReader(checked.archive[PARQUET])), cost


def _digest_content(table: PrivateTable) -> str:
    """Return a digest of a table's content; for a database, of the object's identity."""
    if table.held is None and not table.files:
        return str(id(table))
    digest = hashlib.sha256()
    if table.held is not None:
        from synth.private.table import content

        for buffer in content(table.held):
            digest.update(buffer)
    for path in table.files:
        with path.open("rb") as file:
            for block in read_blocks(file):
                digest.update(block)
    return digest.hexdigest()
