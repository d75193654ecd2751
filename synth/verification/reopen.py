"""Open a bundle again as a release, without a spend and without the table.

The rows are read as codes and their values drawn again with the certificate's seed. So everything
that works on a release works on an opened bundle.
"""

from pathlib import Path

from synth.errors import ReleaseError
from synth.verification.checks import VerifiedDrawn, VerifiedParts, VerifiedRelease, verify
from synth.verification.drawn import refuse_drawn


def open_bundle(path: str | Path) -> VerifiedRelease:
    """Check a bundle of a release and open it.

    Raises:
        SynthError: Names the first claim that does not hold.
    """
    checked = verify(path)
    if isinstance(checked, VerifiedParts):
        raise ReleaseError("Rows in parts are not opened: read their files, or verify them.")
    if isinstance(checked, VerifiedDrawn):
        refuse_drawn(checked.certificate)
    if not isinstance(checked, VerifiedRelease):
        raise ReleaseError("These are answers to questions, and no release that could be opened.")
    return checked
