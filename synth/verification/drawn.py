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
    FileFormat,
    Result,
    certify_without_release,
    draw_dummy,
    draw_more,
    drawn_name,
    drawn_texts,
    drawn_writers,
    request_rows,
)
from synth.domain import Domain
from synth.errors import ReleaseError, SynthError
from synth.foreign import Folder
from synth.verification.exported import unwritable
from synth.verification.files import (
    check_contents,
    check_written,
    refuse,
)
from synth.verification.verdict import OpenClaim
from synth.verification.versions import explained_otherwise

NO_RELEASE = (
    "Whether these rows follow from the release was not checked, nor the release itself, in "
    "a ledger or without: add its bundle by --release FILE."
)


def refuse_drawn(certificate: DrawnCertificate) -> None:
    """Raise a `ReleaseError`: these rows allow no conclusions."""
    raise ReleaseError(f"This bundle holds no release. {' '.join(certificate.caveats)}")


def formats_in(archive: Archive, signed: DrawnCertificate) -> list[FileFormat]:
    """Return the formats in which a bundle holds its drawn rows, except CSV and Parquet."""
    return [kind for kind in FORMATS.values() if drawn_name(signed, kind) in archive]


def check_drawn(
    archive: Archive,
    signed: DrawnCertificate,
    domain: Domain,
    *,
    release: tuple[Result, str] | None,
) -> tuple[DrawnCertificate, list[str]]:
    """Check that the declaration, or the release, gives these rows.

    Args:
        archive: The unpacked bundle.
        signed: The bundle's certificate.
        domain: The declared columns of the bundle.
        release: The release that the rows were drawn from, and its certificate's digest;
            None if it is not at hand, or if the rows are a dummy.

    Returns:
        The certificate made again, and a sentence about each claim.

    Raises:
        RefutedError: The rows are others, or were drawn from another release.
    """
    # Required shares of rows, by column and by cell.
    shares: dict[str, dict[str, Fraction]] = {}
    for share in signed.shares:
        shares.setdefault(share.column, {})[share.cell] = share.share
    seed = int(signed.drawing.seed)
    if not signed.release:  # the digest of the release; a dummy has none
        draw = partial(draw_dummy, domain, signed.rows, shares, seed=seed)
        again, unwritten = _compare(archive, signed, draw)
        sentence = (
            "It is a dummy: every row follows from the declaration, the shares and the seed, "
            "and not from a table."
        )
        return again, [sentence, *unwritten]
    if release is None:
        # Without the release, only the texts and the certificate follow.
        texts = drawn_texts(signed, domain)
        reworded_files = check_contents(archive, texts, "the certificate", certificate=signed)
        again = _sign_alike(certify_without_release(signed, domain), signed)
        return again, [OpenClaim(NO_RELEASE), *explained_otherwise(signed, reworded_files)]
    result, digest = release
    if digest != signed.release or result.plan.domain != domain:
        refuse("The rows were drawn from another release than this one.")

    def draw_again() -> DrawnRows:
        """Draw the rows again in the way that the certificate states."""
        request = request_rows(
            domain, signed.rows, where=signed.where, shares=shares, seed=seed
        )
        return draw_more(result, digest, request)

    again, unwritten = _compare(archive, signed, draw_again)
    sources = "the number of rows"
    if signed.where or shares:
        sources = "the condition, the shares"
    return again, [f"The rows follow from the release, {sources} and the seed.", *unwritten]


def _sign_alike(again: DrawnCertificate, signed: DrawnCertificate) -> DrawnCertificate:
    """Return the certificate `again` with the digests, time and versions of `signed`.

    No file shows these, so they must not make the two certificates differ.
    """
    return replace(
        again, created=signed.created, versions=signed.versions, sha256=signed.sha256
    )


def _compare(
    archive: Archive, signed: DrawnCertificate, draw: Callable[[], DrawnRows]
) -> tuple[DrawnCertificate, list[OpenClaim]]:
    """Draw the rows again, and compare certificate and files.

    Args:
        archive: The unpacked bundle.
        signed: The bundle's certificate.
        draw: Draws the rows again.

    Returns:
        The certificate made again, and open claims: files that another version of a package
        wrote, as their bytes may differ; and files that explain in other words.

    Raises:
        RefutedError: The certificate or the bytes of a file differ.
    """
    try:
        redrawn = draw()
    except ReleaseError:  # a SynthError that says already what is wrong with the bundle
        raise
    except SynthError as error:
        refuse(f"The rows cannot be drawn again. {error}")
    again = _sign_alike(redrawn.certificate, signed)
    if again != signed:
        refuse("The certificate does not say how the rows were drawn.")
    kinds = formats_in(archive, signed)
    # The package that writes each file, by the file's name; none for CSV.
    packages = {drawn_name(signed, kind): kind.package for kind in kinds}
    packages |= {name: "pyarrow" for name in archive if name.endswith(".parquet")}
    unwritten: list[OpenClaim] = []
    reworded_files: list[str] = []
    with Folder() as folder:
        for name, write in drawn_writers(signed, redrawn.rows, kinds).items():
            if open_claim := unwritable(name, packages.get(name, ""), signed.versions):
                unwritten.append(open_claim)
                continue
            write(folder / name)
            source = "the certificate"
            reworded_files += check_written(
                archive, folder / name, source, certificate=signed
            )
    return again, [*unwritten, *explained_otherwise(signed, reworded_files)]
