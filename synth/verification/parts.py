"""Rows in a folder of parts: their list, their digests, and the same parts drawn again."""

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
from synth.estimate import MarginalsRecord, Redrawing, RowStore, finish_with_bars
from synth.plans import Plan
from synth.rows import value_laws
from synth.util import read_json
from synth.verification.files import refuse
from synth.verification.redrawn import CORRECTED_ROWS, DrawnAgain, say_agreement, with_bars
from synth.verification.verdict import OpenClaim
from synth.verification.versions import other_algorithm


def read_manifest(archive: Archive) -> Manifest:
    """Return the list of a release's parts: files that hold consecutive rows of a table.

    Raises:
        RefutedError: The list has another form, names other tables or parts than Synth
            writes, or their numbers of rows do not add up.
    """
    content = archive.text(PARTS)
    try:
        manifest = read_typed(Manifest, read_json(content, f"'{PARTS}'"))
    except ArgumentError as error:
        refuse(str(error))
    except WrongFormError:
        refuse(f"'{PARTS}' does not list parts of a table.")
    if not manifest.tables or not {*manifest.tables} <= {*PARTED}:
        refuse(f"'{PARTS}' does not list parts of '{PARTED[0]}' or '{PARTED[1]}'.")
    for name, table in manifest.tables.items():
        names = [part_name(name, number) for number in range(len(table.parts))]
        if [part.name for part in table.parts] != names:
            refuse(f"'{PARTS}' does not list the parts of '{name}' in their order.")
        if sum(part.rows for part in table.parts) != manifest.rows:
            refuse(f"The parts of '{name}' do not have as many rows as '{PARTS}' says.")
    return manifest


def check_tables(folder: Path, manifest: Manifest) -> list[str]:
    """Check that exactly the listed parts are there; return a sentence on each table.

    Args:
        folder: The folder of the release, with a folder of parts for each table.
        manifest: The list of the parts: their names, sizes in bytes and digests.

    Raises:
        RefutedError: A part or a table is missing, differs, or is not listed.
    """
    there = sorted(name for name in PARTED if (folder / name).exists())
    if there != sorted(manifest.tables):
        refuse(f"The folder has other tables than '{PARTS}' lists.")
    return [
        _check_table(folder / name, manifest) for name in PARTED if name in manifest.tables
    ]


def _check_table(folder: Path, manifest: Manifest) -> str:
    """Check the parts of one table in its folder; return the sentence.

    Raises:
        RefutedError: A file is not listed, or has another size or digest than listed.
    """
    table = manifest.tables[folder.name]
    files = {path.name for path in folder.iterdir()}
    extra = files - {part.name for part in table.parts}
    if extra:
        refuse(f"'{folder.name}' holds '{min(extra)}', which '{PARTS}' does not list.")
    if joined_digest(folder, table.parts) != table.sha256:
        refuse(f"The parts of '{folder.name}' do not match '{PARTS}' when joined.")
    if any((folder / part.name).stat().st_size != part.bytes for part in table.parts):
        refuse(f"The parts of '{folder.name}' do not have the sizes that '{PARTS}' lists.")
    sentence = f"{len(table.parts):,} parts of '{folder.name}', all as '{PARTS}' lists them"
    if folder.name == SYNTHETIC:
        sentence += f", joined SHA-256 {table.sha256}"
    return f"{sentence}."


def check_number_of_rows(
    manifest: Manifest,
    certificate: MarginalsCertificate,
    plan: Plan,
    *,
    record: MarginalsRecord,
) -> str:
    """Check that the parts have as many rows as the plan asks for; return the sentence.

    A plan without a number of rows asks for as many as the noisy counts estimate.

    Args:
        manifest: The list of the parts, with the number of their rows.
        certificate: The certificate of the bundle, which states it too.
        plan: The plan of the release.
        record: The noisy counts of the release.

    Raises:
        RefutedError: The list of parts or the certificate has another number.
    """
    rows = int(record.total) if plan.rows is None else plan.rows
    if {manifest.rows, certificate.rows} != {rows}:
        refuse("The number of synthetic rows does not match the plan or the noisy counts.")
    return (
        f"{rows:,} rows, which matches '{PLAN}' and the noisy counts; only digests of the "
        "parts were compared."
    )


def draw_parts_again(
    certificate: MarginalsCertificate,
    plan: Plan,
    record: MarginalsRecord,
    *,
    manifest: Manifest,
    place: RowStore,
) -> DrawnAgain:
    """Draw the rows again and say how many parts are the same, by the parts' digests.

    Args:
        certificate: The certificate of the bundle, with the seed.
        plan: The plan of the release.
        record: The noisy counts of the release.
        manifest: The list of its parts.
        place: Makes the rows to fill, in this process or in several.

    Returns:
        The sentence, and the error bars if they follow from the rows. Rows that were
        corrected from a public table are not drawn: an `OpenClaim` (not checked) says so.
    """
    other = other_algorithm(certificate)
    if other is not None:
        return DrawnAgain(other)
    if plan.public is not None:
        return DrawnAgain(OpenClaim(CORRECTED_ROWS))
    seed = int(certificate.drawing.seed)
    rules = plan.check_model(plan.domain)
    fitted, bars = finish_with_bars(
        plan, record, Redrawing(rows=plan.rows, seed=seed, rules=rules, place=place)
    )
    # Without a folder, the writer only computes the digests of the parts.
    pieces = PieceWriter(
        domain=plan.domain,
        seed=seed,
        order=rules.order,
        folder=None,
        names=tuple(manifest.tables),
        laws=value_laws(record),
    )
    # ``fitted.drawn`` holds the rows, in one or several processes.
    drawn_parts = fitted.drawn.each_piece(pieces.size, pieces.write)
    # Part number n of every table, by the table's name, as the writer returns them.
    parts_by_table = [table.parts for table in manifest.tables.values()]
    listed_parts = [
        dict(zip(manifest.tables, parts, strict=True))
        for parts in zip(*parts_by_table, strict=False)
    ]
    # A forged list may have more or fewer parts than were drawn, hence no strict zips.
    same_parts = sum(
        listed_part == drawn_part
        for listed_part, drawn_part in zip(listed_parts, drawn_parts, strict=False)
    )
    number_of_parts = max(len(listed_parts), len(drawn_parts))
    sentence = say_agreement(
        same_parts, number_of_parts, "parts", versions=certificate.versions
    )
    return with_bars(sentence, bars, certificate.versions)
