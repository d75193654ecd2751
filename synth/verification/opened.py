"""The beginning of a verification, which refuses what is no bundle. PUBLIC.

Only then is the rest loaded, which takes a second.
"""

from pathlib import Path
from typing import TYPE_CHECKING

from synth.bundle import read_bundle
from synth.door import Ledger

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

    Raises:
        RefutedError: Names the first claim that does not hold.
        OtherVersionError: Another version of Synth made it; nothing is checked.
        NotBundleError: It is neither a bundle nor answers.
        ReleaseError: It cannot be read.
        LimitError: It needs more memory or time than there is.
    """
    archive = read_bundle(path)

    # Here, because loading these takes a second.
    from synth.estimate import place_here
    from synth.verification.checks import verify_archive

    return verify_archive(
        path,
        archive,
        ledger=ledger,
        public=public,
        redraw=redraw,
        place=place or place_here,
        release=release,
    )
