"""Rows that are not a release: their typed shares, and their file."""

from pathlib import Path

from pages.ui.shell import state
from pages.ui.shell.widgets import download
from synth.foreign import in_markdown
from synth.rows import Shares, parse_shares


def read_typed_shares(text: str) -> Shares:
    """Read shares of columns, separated by semicolons; ArgumentError without any."""
    return parse_shares(part for part in text.split(";") if part.strip())


def take_drawn(place: str, name: str) -> None:
    """Show the download of drawn rows, once there are any.

    ``place`` is the session's name for the path of the file, ``name`` that of the download.
    """
    path: Path | None = state.read_value(place)
    if path is not None and path.is_file():
        download(
            f"Download {in_markdown(name)}",
            path.read_bytes,
            name,
            mime="application/zip",
            icon=":material/download:",
            key=f"take {name}",
        )
