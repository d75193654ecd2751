"""The ledger of this machine, which the app, the command line and Python share."""

from pathlib import Path

from synth.errors import LedgerError
from synth.util import home_folder

FILE = "ledger.db"


def home_ledger() -> Path:
    """Return the path of this machine's ledger, in ``SYNTH_HOME``, and make its folder.

    Only its owner can read the folder. The ledger itself may not exist yet.

    Raises:
        LedgerError: The folder cannot be made.
    """
    folder = home_folder()
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError:
        raise LedgerError(
            f"The ledger cannot be kept in '{folder}'; set SYNTH_HOME to another folder."
        ) from None
    return folder / FILE


def known_home_ledger() -> Path | None:
    """Return the path of this machine's ledger; None if there is none yet."""
    path = home_folder() / FILE
    return path if path.is_file() else None
