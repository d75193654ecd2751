"""Open a bundle again as a release, without a spend and without the table.

Values are drawn again with the certificate's seed, so everything works as on a release.
"""

from pathlib import Path

from synth.errors import ReleaseError
from synth.verification.checks import VerifiedDrawn, VerifiedParts, VerifiedRelease, verify
from synth.verification.drawn import refuse_drawn
from synth.verification.files import refuse_unopened


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
        refuse_unopened(checked.certificate)
    return checked
