"""The rows of a release for other programs, made on request after naming the losses."""

from pathlib import Path

import streamlit as st

from pages.ui.shell import state
from pages.ui.shell.widgets import download
from pages.ui.shell.writing import Progress, start_writing, watch_writing
from synth.bundle import FORMATS, FileFormat, download_name, export, manifest
from synth.errors import SynthError
from synth.foreign import in_code, in_markdown
from synth.rows import SyntheticTable

# Most sentences on the screen.
SENTENCES_SHOWN = 30


def other_formats(
    rows: SyntheticTable, certificate: str, key: str, *, base: str = ""
) -> None:
    """Let the user choose a format, show what it loses, and offer to make the file.

    Args:
        rows: The released rows.
        certificate: The digest of the release's certificate, which the file's notes name.
        key: A prefix for the keys of the widgets.
        base: The beginning of the name of the file; empty for the format's own name.
    """
    titles = {name: f"{file_format.title} (.{name})" for name, file_format in FORMATS.items()}
    name = st.segmented_control(
        "Format", [*titles], format_func=titles.__getitem__, key=f"{key}_format"
    )
    if name is None:
        st.caption("Choose a format to see its limits. No format cuts values.")
        return
    kind = FORMATS[name]
    try:  # it may hold too few rows or columns, or its package may not be installed
        kind.check(rows.domain, rows.rows)
    except SynthError as error:
        st.warning(in_markdown(str(error)), icon=":material/block:")
        return
    losses = kind.list_losses(rows.domain)
    for sentence in losses[:SENTENCES_SHOWN]:
        st.markdown(f"- {in_markdown(sentence)}")
    if len(losses) > SENTENCES_SHOWN:
        st.caption(
            f"And {len(losses) - SENTENCES_SHOWN:,} more; the file of notes has them all."
        )
    file_name = download_name(base, kind.file) if base else kind.file
    # The session's name for the made file, whose notes have its name.
    place = f"{key} {certificate} {file_name}"
    is_other_written = watch_writing(place)
    if not state.read_value(place):
        st.button(
            f"Make {in_markdown(file_name)}",
            key=f"{key}_make",
            on_click=_make,
            args=(rows, kind, file_name),
            kwargs={"certificate": certificate, "place": place},
            disabled=is_other_written,
            icon=":material/file_save:",
        )
        return
    bundle_name = download_name(base, "bundle.zip") if base else "bundle.zip"
    _offer_file(state.read_value(place), kind, key, bundle_name=bundle_name)


def _offer_file(path: Path, kind: FileFormat, key: str, *, bundle_name: str) -> None:
    """Show the buttons to download an exported file and its notes.

    Args:
        path: The file.
        kind: The format of the file.
        key: A prefix for the keys of the widgets.
        bundle_name: The name of the bundle of the same rows.
    """
    left_column, right_column, _ = st.columns([2, 2, 3])
    notes = path.with_name(f"{path.name}.json")
    download(
        f"Download {in_markdown(path.name)}",
        path.read_bytes,
        path.name,
        mime=kind.mime,
        place=left_column,
        icon=":material/download:",
        key=f"{key}_take",
    )
    download(
        "Download its notes",
        notes.read_bytes,
        notes.name,
        mime="application/json",
        place=right_column,
        icon=":material/description:",
        key=f"{key}_notes",
    )
    command = f"synth verify {bundle_name} --file {path.name}"
    st.caption(f"{in_code(command)} checks that it holds the rows of the bundle.")


@state.guard
def _make(
    rows: SyntheticTable, kind: FileFormat, file_name: str, *, certificate: str, place: str
) -> None:
    """Start to write the rows in a format, and notes as JSON in a file beside.

    Args:
        rows: The released rows.
        kind: The format.
        file_name: The name of the file.
        certificate: The digest of the release's certificate, for the notes.
        place: The session's name for the path.
    """

    def write(folder: Path, _progress: Progress) -> Path:
        """Write both files, and return the path of the first."""
        path = export(rows, kind, folder / file_name)
        path.with_name(f"{path.name}.json").write_bytes(
            manifest(path, kind, rows.domain, certificate=certificate)
        )
        return path

    start_writing(write, place=place, title=file_name)
