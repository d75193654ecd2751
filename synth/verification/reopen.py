"""A bundle opened again: the release as it was made, with nothing spent and no table at hand.

The rows are read back as codes and their values drawn once more with the certificate's seed,
so that whatever works on a release works on an opened one.
"""

from pathlib import Path

from synth.errors import ReleaseError
from synth.verification.checks import VerifiedParts, VerifiedRelease, verify


def open_bundle(path: str | Path) -> VerifiedRelease:
    """Check a bundle of a release.

    Raises:
        SynthError: With the first thing that does not hold.
    """
    checked = verify(path)
    if isinstance(checked, VerifiedParts):
        raise ReleaseError("Rows in parts are not opened: read their files, or verify them.")
    if not isinstance(checked, VerifiedRelease):
        raise ReleaseError("These are answers to questions, and no release that could be opened.")
    return checked
