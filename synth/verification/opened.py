"""The beginning of a verification, which refuses what is no bundle. PUBLIC.

Only then is the rest loaded, which takes a second.
"""

from pathlib import Path
from typing import TYPE_CHECKING

from synth.bundle import read_bundle
from synth.door import BUNDLED, Ledger, known_home_ledger

if TYPE_CHECKING:
    from synth.estimate import RowStore
    from synth.verification.checks import PublicReader
    from synth.verification.verified import Verified


def verify(  # noqa: PLR0913 - public
    path: str | Path,
    ledger: Ledger | None = None,
    public: "PublicReader | None" = None,
    *,
    redraw: bool = False,
    place: "RowStore | None" = None,
    release: str | Path | None = None,
    or_own: bool = False,
) -> "Verified":
    """Check a bundle of a release, or the files of answers.

    Other files in the same folder make no claim, and are named as not checked.

    Args:
        path: The zip file, or the folder of a release, of answers or of parts.
        ledger: The ledger of the spend, if you have it.
        public: Reads the public table that was a model's first guess, by the release's
            declaration, if you have it.
        redraw: Whether to draw the rows of a model again, which takes as long as the
            release; those of a histogram are always drawn again.
        place: Where rows in parts are drawn again; by default in this process.
        release: The bundle that rows were drawn from once more, if you have it.
        or_own: Whether this machine's ledger serves if none is given, and if it knows the
            certificate.

    Raises:
        RefutedError: Names the first claim that does not hold.
        OtherVersionError: Another version of Synth made it; nothing is checked.
        NotBundleError: It is neither a bundle nor answers.
        ReleaseError: It cannot be read.
        LimitError: It needs more memory or time than there is.
    """
    archive = read_bundle(path)
    if ledger is None and or_own:
        ledger = _own_ledger(archive.digest)

    # Here, because loading these takes a second.
    from synth.verification.checks import verify_archive

    return verify_archive(
        path,
        archive,
        ledger=ledger,
        public=public,
        redraw=redraw,
        place=place,
        release=release,
    )


def _own_ledger(digest: str) -> Ledger | None:
    """Return this machine's ledger; None if it does not know a certificate.

    A bundle of another steward is on no ledger here, which refutes nothing.

    Args:
        digest: The SHA-256 digest of the certificate.

    Raises:
        LedgerError: The ledger cannot be read, or was edited.
    """
    path = known_home_ledger()
    if path is None:
        return None
    ledger = Ledger(path, readonly=True)
    is_known = any(ledger.kept(entry, f"{BUNDLED}{digest}") for entry in ledger.entries())
    return ledger if is_known else None
