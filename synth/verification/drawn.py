"""Dummies, and rows of a release drawn once more: drawn again and compared. PUBLIC."""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from importlib.metadata import version

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
from synth.rows import Shares
from synth.verification.files import refuse, same_bytes
from synth.verification.verdict import OpenClaim

NO_RELEASE = (
    "Whether the release gives these rows was not checked: hand over its bundle (--release FILE)."
)


def refuse_drawn(certificate: DrawnCertificate) -> None:
    """Refuse to draw conclusions from rows that are no release.

    Raises:
        ReleaseError: Always.
    """
    raise ReleaseError(f"This bundle holds no release. {' '.join(certificate.caveats)}")


def check_drawn(
    archive: Archive, signed: DrawnCertificate, domain: Domain, release: tuple[Result, str] | None
) -> list[str]:
    """See that the rows are what the declaration, or the release, gives; return the sentences.

    Args:
        archive: The files.
        signed: Their certificate.
        domain: The declared columns.
        release: The release, and the digest of its certificate, where it is at hand.
    """
    shares = _shares_of(signed)
    if not signed.release:
        again = _draw(lambda seed: draw_dummy(domain, signed.rows, shares, seed), signed)
        _compare(archive, signed, again)
        return [
            "It is a dummy: the declaration, the shares and the seed give every row, so no table "
            "is behind it."
        ]
    if release is None:
        return [OpenClaim(NO_RELEASE)]
    result, digest = release
    if digest != signed.release or result.plan.domain != domain:
        refuse("The rows were drawn from another release than this one.")
    again = _draw(
        lambda seed: draw_more(result, digest, signed.rows, signed.where, shares, seed), signed
    )
    _compare(archive, signed, again)
    said = "the condition, the shares" if signed.where or shares else "the number of rows"
    return [f"The rows are what the release, {said} and the seed give."]


def _draw(draw: Callable[[int], DrawnRows], signed: DrawnCertificate) -> DrawnRows:
    try:
        return draw(int(signed.drawing.seed))
    except ReleaseError:
        raise
    except SynthError as error:
        refuse(f"The rows cannot be drawn again. {error}")


def _shares_of(signed: DrawnCertificate) -> Shares:
    found: dict[str, dict[str, Fraction]] = {}
    for one in signed.shares:
        found.setdefault(one.column, {})[one.cell] = one.share
    return found


def _compare(archive: Archive, signed: DrawnCertificate, again: DrawnRows) -> None:
    """See that certificate and files are those of the rows drawn again."""
    made = again.certificate.sign(signed.sha256)
    if replace(made, created=signed.created, versions=signed.versions) != signed:
        refuse("The certificate does not say how the rows were drawn.")
    kinds = [kind for kind in FORMATS.values() if drawn_name(signed, kind) in archive]
    packages = {drawn_name(signed, kind): kind.package for kind in kinds}
    packages |= {name: "pyarrow" for name in archive if name.endswith(".parquet")}
    with Folder() as folder:
        for name, write in drawn_writers(signed, again.rows, kinds).items():
            package = packages.get(name, "")
            if package and signed.versions.get(package) != version(package):
                continue  # another version of a package may write other bytes
            write(folder / name)
            if name not in archive or not same_bytes(folder / name, archive.path(name)):
                refuse(f"'{name}' does not hold what the certificate says.")
