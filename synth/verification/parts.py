"""Rows in a folder of parts: their list, their digests, and the same parts drawn again."""

from os.path import isdir
from pathlib import Path

from synth.bundle import (
    PARTED,
    PARTS,
    PLAN,
    SYNTHETIC,
    Archive,
    Manifest,
    MarginalsCertificate,
    PieceWriter,
    WrongFormError,
    joined_digest,
    part_name,
    read_typed,
)
from synth.errors import ArgumentError
from synth.estimate import MarginalsRecord, RowStore, finish_with_bars
from synth.plans import Plan
from synth.rows import value_laws
from synth.util import read_json
from synth.verification.files import refuse
from synth.verification.redrawn import CORRECTED_ROWS, DrawnAgain, say_agreement, with_bars
from synth.verification.verdict import OpenClaim


def is_in_parts(path: Path, archive: Archive) -> bool:
    """Return whether a folder holds a release in parts; a file of that name beside one says
    not.
    """
    return isdir(path) and PARTS in archive


def manifest_in(archive: Archive) -> Manifest:
    content = archive.text(PARTS)
    try:
        found = read_typed(Manifest, read_json(content, f"'{PARTS}'"))
    except ArgumentError as error:
        refuse(str(error))
    except WrongFormError:
        refuse(f"'{PARTS}' does not list parts of a table.")
    if not found.tables or not {*found.tables} <= {*PARTED}:
        refuse(f"'{PARTS}' does not list parts of '{PARTED[0]}' or '{PARTED[1]}'.")
    for name, table in found.tables.items():
        named = [part_name(name, number) for number in range(len(table.parts))]
        if [part.name for part in table.parts] != named:
            refuse(f"'{PARTS}' does not list the parts of '{name}' in their order.")
        if sum(part.rows for part in table.parts) != found.rows:
            refuse(f"The parts of '{name}' do not have as many rows as '{PARTS}' says.")
    return found


def check_tables(folder: Path, manifest: Manifest) -> list[str]:
    """Check that exactly the listed parts are there, unchanged; say a sentence on each
    table.
    """
    there = sorted(name for name in PARTED if (folder / name).exists())
    if there != sorted(manifest.tables):
        refuse(f"The folder has other tables than '{PARTS}' lists.")
    return [
        _check_table(folder / name, manifest) for name in PARTED if name in manifest.tables
    ]


def _check_table(folder: Path, manifest: Manifest) -> str:
    table = manifest.tables[folder.name]
    extra = {one.name for one in folder.iterdir()} - {part.name for part in table.parts}
    if extra:
        refuse(f"'{folder.name}' holds '{min(extra)}', which '{PARTS}' does not list.")
    if joined_digest(folder, table.parts) != table.sha256:
        refuse(f"The parts of '{folder.name}' do not match '{PARTS}' when joined.")
    if any((folder / part.name).stat().st_size != part.bytes for part in table.parts):
        refuse(f"The parts of '{folder.name}' do not have the sizes that '{PARTS}' lists.")
    said = f", joined SHA-256 {table.sha256}" if folder.name == SYNTHETIC else ""
    return (
        f"{len(table.parts):,} parts of '{folder.name}', all as '{PARTS}' lists them{said}."
    )


def check_number_of_rows(
    manifest: Manifest,
    certificate: MarginalsCertificate,
    plan: Plan,
    *,
    record: MarginalsRecord,
) -> str:
    wanted = int(record.total) if plan.rows is None else plan.rows
    if {manifest.rows, certificate.rows} != {wanted}:
        refuse("The number of synthetic rows does not match the plan or the noisy counts.")
    return (
        f"{wanted:,} rows, which matches '{PLAN}' and the noisy counts; only digests of the "
        "parts were compared."
    )


def draw_parts_again(
    certificate: MarginalsCertificate,
    plan: Plan,
    record: MarginalsRecord,
    manifest: Manifest,
    place: RowStore,
) -> DrawnAgain:
    """Draw the rows again at `place`; say how many parts are the same."""
    if plan.public is not None:
        return DrawnAgain(OpenClaim(CORRECTED_ROWS))
    seed, rules = int(certificate.drawing.seed), plan.check_model(plan.domain)
    fitted, bars = finish_with_bars(
        plan, record, plan.rows, seed=seed, rules=rules, place=place
    )
    tables, laws = tuple(manifest.tables), value_laws(record)
    pieces = PieceWriter(
        domain=plan.domain, seed=seed, order=rules.order, folder=None, names=tables, laws=laws
    )
    again = fitted.drawn.each_piece(pieces.size, pieces.write)
    columns = [table.parts for table in manifest.tables.values()]
    listed = [
        dict(zip(manifest.tables, row, strict=True)) for row in zip(*columns, strict=False)
    ]
    same = sum(one == other for one, other in zip(listed, again, strict=False))
    many = max(len(listed), len(again))
    sentence = say_agreement(same, many, "parts", versions=certificate.versions)
    return with_bars(sentence, bars, certificate.versions)
