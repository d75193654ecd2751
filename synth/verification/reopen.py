"""A bundle opened again: the release as it was made, with nothing spent and no table at hand.

The rows are read back as codes and their values drawn once more with the certificate's seed,
so that whatever works on a release works on an opened one.
"""

from dataclasses import dataclass
from pathlib import Path

from synth.bundle import Archive, Result
from synth.errors import ReleaseError
from synth.verification.checks import VerifiedParts, VerifiedRelease, verify
from synth.verification.verdict import OpenClaim


@dataclass(frozen=True, eq=False)
class Opened:
    """A bundle of which nothing is refuted. PUBLIC.

    Attributes:
        result: The release.
        archive: The files.
        checks: What was said of each claim, a sentence each.
    """

    result: Result
    archive: Archive
    checks: tuple[str, ...]

    @property
    def in_words(self) -> str:
        """What was checked, and what was not."""
        open_claims = [one for one in self.checks if isinstance(one, OpenClaim)]
        confirmed = [one for one in self.checks if not isinstance(one, OpenClaim)]
        said = f"Nothing that the bundle claims is refuted. {' '.join(confirmed)}"
        return f"{said} Not checked: {' '.join(open_claims)}" if open_claims else said


def open_bundle(path: str | Path) -> Opened:
    """Check a bundle and take the release out of it.

    Raises:
        SynthError: With the first thing that does not hold.
    """
    checked = verify(path)
    if isinstance(checked, VerifiedParts):
        raise ReleaseError("Rows in parts are not opened: read their files, or verify them.")
    if not isinstance(checked, VerifiedRelease):
        raise ReleaseError("These are answers to questions, and no release that could be opened.")
    made = (checked.plan, checked.record, checked.synthetic, checked.certificate)
    result = Result(*made, repeated=True)
    return Opened(result, checked.archive, checked.checks)
