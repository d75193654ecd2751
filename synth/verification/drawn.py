"""Dummies, and rows of a release drawn once more: drawn again and compared. PUBLIC."""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import partial

from synth.bundle import (
    FORMATS,
    Archive,
    DrawnCertificate,
    DrawnRows,
    Result,
    draw_dummy,
    draw_more,
    drawn_name,
    drawn_writers,
)
from synth.domain import Domain
from synth.errors import ReleaseError, SynthError
from synth.foreign import Folder
from synth.verification.exported import unwritable
from synth.verification.files import refuse, same_bytes
from synth.verification.verdict import OpenClaim

NO_RELEASE = (
    "Whether these rows follow from the release was not checked, nor the release itself, in a "
    "ledger or without: add its bundle by --release FILE."
)


def refuse_drawn(certificate: DrawnCertificate) -> None:
    """Raise a `ReleaseError`: these rows allow no conclusions."""
    raise ReleaseError(f"This bundle holds no release. {' '.join(certificate.caveats)}")


def check_drawn(
    archive: Archive, signed: DrawnCertificate, domain: Domain, release: tuple[Result, str] | None
) -> list[str]:
    """Check that the declaration, or the release, gives these rows; return the sentences.

    Args:
        release: The release, and its certificate's digest, if you have it.
    """
    shares: dict[str, dict[str, Fraction]] = {}
    for one in signed.shares:
        shares.setdefault(one.column, {})[one.cell] = one.share
    if not signed.release:
        draw = partial(draw_dummy, domain, signed.rows, shares)
        unwritten = _compare(archive, signed, draw)
        return [
            "It is a dummy: every row follows from the declaration, the shares and the seed, and "
            "not from a table.",
            *unwritten,
        ]
    if release is None:
        return [OpenClaim(NO_RELEASE)]
    result, digest = release
    if digest != signed.release or result.plan.domain != domain:
        refuse("The rows were drawn from another release than this one.")
    draw = partial(draw_more, result, digest, signed.rows, signed.where, shares)
    unwritten = _compare(archive, signed, draw)
    said = "the condition, the shares" if signed.where or shares else "the number of rows"
    return [f"The rows follow from the release, {said} and the seed.", *unwritten]


def _compare(
    archive: Archive, signed: DrawnCertificate, draw: Callable[[int], DrawnRows]
) -> list[OpenClaim]:
    """Draw the rows again, and compare certificate and files.

    Returns:
        A sentence about each file that another version of a package wrote.
    """
    try:
        again = draw(int(signed.drawing.seed))
    except ReleaseError:
        raise
    except SynthError as error:
        refuse(f"The rows cannot be drawn again. {error}")
    made = again.certificate.sign(signed.sha256)
    if replace(made, created=signed.created, versions=signed.versions) != signed:
        refuse("The certificate does not say how the rows were drawn.")
    kinds = [kind for kind in FORMATS.values() if drawn_name(signed, kind) in archive]
    packages = {drawn_name(signed, kind): kind.package for kind in kinds}
    packages |= {name: "pyarrow" for name in archive if name.endswith(".parquet")}
    unwritten: list[OpenClaim] = []
    with Folder() as folder:
        for name, write in drawn_writers(signed, again.rows, kinds).items():
            if said := unwritable(name, packages.get(name, ""), signed.versions):
                unwritten.append(said)
                continue
            write(folder / name)
            if name not in archive or not same_bytes(folder / name, archive.path(name)):
                refuse(f"'{name}' does not match the certificate.")
    return unwritten
