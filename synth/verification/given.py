"""The parts of certificates that cannot be made again, why, and what settles them. PUBLIC.

These lists are the only ones: a statement that is on none of them is made again from the
other files and compared, leaf by leaf (`synth.verification.leaves`). A ledger that is sealed
and holds the digest of the certificate settles all parts, as it shows that Synth wrote them.
"""

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum

from synth.bundle import (
    NEVER_SPENT,
    ROUNDING,
    AnswersCertificate,
    Certificate,
    DrawnCertificate,
    FileFormat,
    LinkedCertificate,
    MarginalsCertificate,
    versions,
)
from synth.verification.files import refuse
from synth.verification.leaves import OpenPart
from synth.verification.versions import is_of_here


class Means(StrEnum):
    """What a check did that settles parts of a certificate that not all files show.

    With the ledger, the digest of the certificate shows its parts; with the others, these
    parts are made again.
    """

    LEDGER = "the sealed ledger holds the certificate's digest"
    FILES = "the digests of all files were computed"
    DRAWN_ROWS = "the rows were drawn again, and are the same"
    ERROR_BARS = "the rows were drawn again, and the error bars follow from them"
    COUNTED_ROWS = "the rows in the files were counted"
    LEAST_THRESHOLD = "the threshold is the least one for this noise"
    ARRANGEMENT = "the questions were arranged again"
    READ_ANSWERS = "the answers were read again from the noisy numbers"
    RELEASE = "the release of the rows was checked"


MADE_AT = "no file shows when it was made, so only the form of the time was checked."
SOFTWARE = (
    "no file shows which software made it, so only the names and the form of the versions "
    "were checked."
)
RECORDED = (
    "only the ledger shows what was spent on the table, and that all of it is listed "
    "(--ledger FILE)."
)
MEASURED = (
    "known of the table or measured on it with noise, so only the ledger can show it "
    "(--ledger FILE)."
)
FROM_ROWS = (
    "computed again only if the rows are drawn again (not with --quick) and are all the "
    "same, on a machine that rounds as the one that made them."
)
RAISED = (
    "the threshold was raised, as too many counts reached the least one; not computed again."
)
ARRANGED = "another version of Synth, or another kind of machine, arranged the questions."
ANSWERED = "another version of Synth, or another kind of machine, computed the answers."
FROM_RELEASE = "taken from the release of these rows: add its bundle by --release FILE."


@dataclass(frozen=True)
class GivenPart(OpenPart):
    """A part that does not follow from the other files alone.

    Attributes:
        settled_by: What settles it; without that, the part stays open.
    """

    settled_by: Means


_EVERY = (
    GivenPart("sha256.**", "the digests were not computed.", Means.FILES),
    GivenPart("created", MADE_AT, Means.LEDGER),
    GivenPart("versions.*", SOFTWARE, Means.LEDGER),
)
_SPENT = (GivenPart("ledger.**", RECORDED, Means.LEDGER),)
_PREPARED = (GivenPart("declaration.preparations.**", RECORDED, Means.LEDGER),)
_SCORED = (
    GivenPart("scores.*.noisy_distance", MEASURED, Means.LEDGER),
    GivenPart("scores.*.entry", RECORDED, Means.LEDGER),
)
_HISTOGRAM = (
    GivenPart("released.rows", MEASURED, Means.LEDGER),
    GivenPart("released.noisy_rows", MEASURED, Means.LEDGER),
    GivenPart("released.left_out", MEASURED, Means.LEDGER),
    GivenPart("released.threshold", RAISED, Means.LEAST_THRESHOLD),
    GivenPart("mechanism.moments.*.values.**", MEASURED, Means.LEDGER),
)
_MARGINALS = (
    GivenPart("released.rows", MEASURED, Means.LEDGER),
    GivenPart("mechanism.marginals.*.values.**", MEASURED, Means.LEDGER),
    GivenPart("mechanism.strategy", FROM_ROWS, Means.DRAWN_ROWS),
    GivenPart("drawing.seed", FROM_ROWS, Means.DRAWN_ROWS),
    GivenPart("error_bars.**", FROM_ROWS, Means.ERROR_BARS),
)
_LINKED = (
    GivenPart("drawing.seed", FROM_ROWS, Means.DRAWN_ROWS),
    GivenPart("rows.*", FROM_ROWS, Means.COUNTED_ROWS),
)
_ANSWERS = (
    GivenPart("rows", MEASURED, Means.LEDGER),
    GivenPart("portions.*.noisy.**", MEASURED, Means.LEDGER),
    GivenPart("portions.**", ARRANGED, Means.ARRANGEMENT),
    GivenPart("answers.**", ANSWERED, Means.READ_ANSWERS),
)
_FROM_RELEASE = tuple(
    GivenPart(pattern, FROM_RELEASE, Means.RELEASE)
    for pattern in (
        "release",
        "where",
        "shares.**",
        "guarantee.**",
        "neighbors",
        "privacy_unit",
        "max_rows",
        "dataset",
        "ledger.**",
        "rows",
        "drawing.seed",
    )
)


def given_parts(certificate: Certificate, means: Collection[Means]) -> list[OpenPart]:
    """Return the parts of a certificate that were not made again.

    Args:
        certificate: The certificate of the bundle.
        means: Checks that were made in addition to those of every bundle. Each settles some
            parts, so that these are compared like all others.
    """
    # The digests of files are computed for every bundle.
    return [
        OpenPart(part.pattern, part.reason, for_steward=part.settled_by is Means.LEDGER)
        for part in _parts_of(certificate)
        if part.settled_by not in {*means, Means.FILES}
    ]


def _parts_of(certificate: Certificate) -> tuple[GivenPart, ...]:
    """Return the parts of a certificate that do not follow from the other files alone.

    Every kind of certificate has a list of its own.
    """
    if isinstance(certificate, DrawnCertificate):
        return (*_EVERY, *_FROM_RELEASE) if certificate.release else _EVERY
    if isinstance(certificate, AnswersCertificate):
        return (*_EVERY, *_SPENT, *_ANSWERS) if certificate.spent else (*_EVERY, *_ANSWERS)
    if isinstance(certificate, LinkedCertificate):
        return (*_EVERY, *_SPENT, *_PREPARED, *_LINKED)
    of_method = _HISTOGRAM
    if isinstance(certificate, MarginalsCertificate):
        of_method = _MARGINALS
    return (*_EVERY, *_SPENT, *_PREPARED, *_SCORED, *of_method)


# A version of a package, and what says how a machine rounds.
_VERSION = re.compile(
    r"[0-9]{1,9}(\.[0-9]{1,9}){0,5}((a|b|rc|\.post|\.dev)[0-9]{1,9}){0,3}(\+[a-z0-9.]{1,40})?"
)
_PACKAGE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,40}")
_ROUNDED = re.compile(r"[0-9a-f]{16}")


def check_form(certificate: Certificate, formats: Iterable[FileFormat]) -> None:
    """Check the form of what no file shows: the time, and the versions of the software.

    Args:
        certificate: The certificate of the bundle.
        formats: The formats of the rows in addition to CSV and Parquet.

    Raises:
        RefutedError: It is no time, or there are other versions than Synth writes.
    """
    if not _has_time(certificate):
        refuse("The certificate does not say when it was made, as a time in UTC.")
    packages = {file_format.package for file_format in formats if file_format.package}
    # Another version may depend on other packages.
    expected = {*versions(), *packages} if is_of_here(certificate) else None
    _check_versions(certificate.versions, expected)


def _has_time(certificate: Certificate) -> bool:
    """Return whether a certificate says when the spend was made, as a time in UTC.

    Answers that spent nothing have no such time, and must say that.
    """
    if isinstance(certificate, AnswersCertificate) and certificate.spent is None:
        return certificate.created == NEVER_SPENT
    return certificate.created != NEVER_SPENT and _is_time(certificate.created)


def is_version(text: str) -> bool:
    """Return whether a text is the version of a package, such as 2.1.0rc1, and no sentence.

    >>> is_version("2.1.0rc1"), is_version("2.1, approved")
    (True, False)
    """
    return _VERSION.fullmatch(text) is not None


def _is_time(text: str) -> bool:
    """Return whether a text is a time in UTC as Synth and its ledger write it.

    That is ISO 8601 to the second, such as 2026-11-30T12:00:00+00:00.
    """
    try:
        time = datetime.fromisoformat(text)
    except ValueError:
        return False
    if time.tzinfo is None:
        return False
    # Other spellings of the same time are read as well, and refused here.
    return time.astimezone(UTC).isoformat(timespec="seconds") == text


def _check_versions(signed: Mapping[str, str], packages: Collection[str] | None) -> None:
    """Check that exactly these packages are named, each with a version and no other text.

    The entry `ROUNDING` is no package: it has a digest that shows how the machine rounds.

    Args:
        signed: The versions of the certificate, by the name of the package.
        packages: The names that must be there; None for any that are names of packages.

    Raises:
        RefutedError: There are other packages, or a text that is no version.
    """
    are_names = all(map(_PACKAGE.fullmatch, signed))
    if not are_names or (packages is not None and {*signed} != {*packages}):
        refuse("The certificate names other packages than those whose versions Synth writes.")
    for name, text in signed.items():
        is_formed = _ROUNDED.fullmatch(text) if name == ROUNDING else is_version(text)
        if not is_formed:
            refuse(f"The certificate's version of '{name}' is not one.")
