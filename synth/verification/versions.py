"""Bundles of other versions of Synth: what this version checks of them. PUBLIC.

From version 1.0 on the meaning of each field is kept, so a later version checks the claims of
an earlier bundle: its costs, noise, counts, plan and certificate. Two things may differ, and
are then named as not checked: the words of files that only explain, and rows that another
algorithm drew.

>>> is_newer("1.10.0", than="1.9.2"), is_newer("1.0.0rc1", than="1.0.0")
(True, False)
"""

import re
from collections.abc import Sequence

from synth.bundle import Certificate, LinkedCertificate, ReleaseCertificate
from synth.door import ALGORITHM
from synth.errors import OtherVersionError, name_some
from synth.util import Document
from synth.util.version import __version__
from synth.verification.verdict import OpenClaim

# Most names of files in a sentence.
_SHOWN_NAMES = 8
_NUMBERS = re.compile(r"\d{1,9}(?:\.\d{1,9}){0,5}")


def writer_of(certificate: Certificate) -> str:
    """Return the version of Synth that wrote a bundle, by its certificate."""
    return certificate.versions.get("synth", "")


def is_of_here(certificate: Certificate) -> bool:
    """Return whether this version of Synth wrote the bundle, by its certificate."""
    return writer_of(certificate) == __version__


def is_newer(version: str, than: str = __version__) -> bool:
    """Return whether a version follows another one, by the numbers before its letters."""
    return _numbers_of(version) > _numbers_of(than)


def _numbers_of(version: str) -> list[int]:
    """Return the numbers of a version, or none if it does not begin with numbers."""
    match = _NUMBERS.match(version)
    return [] if match is None else [int(number) for number in match.group().split(".")]


def refuse_newer(content: Document) -> None:
    """Refuse a bundle that a newer version wrote, with parts that are unknown here.

    Args:
        content: The certificate of a bundle that does not have the form of this version.

    Raises:
        OtherVersionError: A newer version of Synth wrote it, as it says.
    """
    versions = content.get("versions")
    written_by = versions.get("synth") if isinstance(versions, dict) else None
    if not isinstance(written_by, str) or not is_newer(written_by):
        return
    # The text may be anything, so only its numbers are shown.
    numbers = ".".join(map(str, _numbers_of(written_by)))
    raise OtherVersionError(
        f"Synth {numbers} made the bundle, which is newer than this one ({__version__}) and "
        "wrote parts that are unknown here; verify it with that version or a later one."
    )


def other_algorithm(certificate: Certificate) -> OpenClaim | None:
    """Return the sentence about rows that another algorithm drew; None if this one did."""
    if not isinstance(certificate, ReleaseCertificate | LinkedCertificate):
        return None
    if certificate.algorithm == ALGORITHM:
        return None
    return OpenClaim(
        f"Algorithm {certificate.algorithm} drew the rows, and this version of Synth has "
        f"algorithm {ALGORITHM}, so they were not drawn again. Verify with Synth "
        f"{writer_of(certificate)} to check that they follow from the noisy counts."
    )


def not_compared(name: str, certificate: Certificate) -> OpenClaim:
    """Return the sentence about a file that another version wrote otherwise.

    Args:
        name: The file, which says what follows from other files of the bundle.
        certificate: The certificate of the bundle.
    """
    return OpenClaim(
        f"Synth {writer_of(certificate)} wrote '{name}', and this version writes it "
        "otherwise, so it was not compared."
    )


def explained_otherwise(certificate: Certificate, names: Sequence[str]) -> list[OpenClaim]:
    """Return a sentence about files that another version wrote in other words.

    Args:
        certificate: The certificate of the bundle.
        names: Names of files that only explain, and differ from what this version writes.
    """
    if not names:
        return []
    shown = name_some([f"'{name}'" for name in sorted(names)], _SHOWN_NAMES)
    sentence = (
        f"Synth {writer_of(certificate)} wrote files that only explain, and this version "
        f"({__version__}) writes them otherwise, so their words were not compared: {shown}."
    )
    return [OpenClaim(sentence)]


def lacks_only_later_fields(content: object, again: object) -> bool:
    """Return whether JSON of an earlier version equals that of this one, but for new fields.

    Args:
        content: The JSON of the file.
        again: What this version writes for it: objects may have further fields.

    >>> lacks_only_later_fields({"rows": [{"a": 1}]}, {"rows": [{"a": 1, "b": None}]})
    True
    >>> lacks_only_later_fields({"rows": [{"a": 2}]}, {"rows": [{"a": 1, "b": None}]})
    False
    """
    if isinstance(content, dict) and isinstance(again, dict):
        return all(
            name in again and lacks_only_later_fields(part, again[name])
            for name, part in content.items()
        )
    if isinstance(content, list) and isinstance(again, list):
        return len(content) == len(again) and all(
            map(lacks_only_later_fields, content, again)
        )
    return type(content) is type(again) and content == again
