"""Replicates of a release: made with a progress bar, stoppable, then offered as files."""

import shutil
from pathlib import Path

import streamlit as st

from pages.ui.shell import state
from pages.ui.shell.charts import Lane, badge
from pages.ui.shell.numbers import say_count
from pages.ui.shell.widgets import download
from pages.ui.use.choices import Using
from synth import limits
from synth.analysis import MIN_TABLES, check_replicable
from synth.api.option_names import RowsFormatName
from synth.api.replicating import replicates_of
from synth.bundle import (
    CSV,
    FORMATS,
    RULE,
    check_replicates,
    replica_formats,
    warn_unmeasured,
)
from synth.errors import ReleaseError, SynthError
from synth.foreign import in_markdown

_REQUESTED = "used_several_wanted"
ARCHIVE = "replicates.zip"


def make_replicates(opened: Using) -> None:
    """Show the form that makes several tables of a release, and the download of their file.

    The button stores the request, and the next run of the page does the work.
    """
    badge(Lane.DP)
    st.markdown(
        "For software with multiple imputation. Synth makes several tables from the noisy "
        "counts, each with fresh noise, for free. Prefer the intervals of *Ask* above. Use "
        "these tables for columns that the release measured together."
    )
    # Not every release can be made anew from its noisy counts: the error says why.
    try:
        check_replicable(opened.analysis.result.plan, opened.analysis.result.record)
    except SynthError as error:
        st.info(in_markdown(str(error)))
        return
    warning = warn_unmeasured(opened.analysis.result.record)
    if warning:
        st.info(in_markdown(warning))
    requested: tuple[int, RowsFormatName] | None = state.read_value(_REQUESTED)
    state.keep(_REQUESTED, None)  # so that a run after an interrupted one does not resume it
    at_work = requested is not None
    number_place, format_place, button_place = st.columns(
        [2, 3, 2], vertical_alignment="bottom"
    )
    number_place.number_input(
        "Tables", MIN_TABLES, limits.REPLICATES, value=5, key="used_several", disabled=at_work
    )
    titles = {file_format.name: file_format.title for file_format in (CSV, *FORMATS.values())}
    format_place.segmented_control(
        "As",
        [*titles],
        format_func=titles.__getitem__,
        default=CSV.name,
        required=True,
        key="used_several_as",
        disabled=at_work,
    )
    button_place.button(
        "Make the tables",
        icon=":material/library_add:",
        on_click=_ask,
        args=(opened,),
        disabled=at_work,
        width="stretch",
    )
    if requested is not None:
        _make(opened, *requested)
        st.rerun()
    _take(opened)


@state.guard
def _ask(opened: Using) -> None:
    """Check that several tables can be written, and store how many and in which format.

    SynthError if they cannot.
    """
    kind = state.read_value("used_several_as") or CSV.name
    check_replicates(
        opened.analysis.result, replica_formats(kind), state.folder().fresh() / "tables"
    )
    state.keep(_REQUESTED, (int(state.read_value("used_several") or MIN_TABLES), kind))


def _make(opened: Using, tables: int, kind: RowsFormatName) -> None:
    """Make several tables of a release, packed as a zip, and store it for the download.

    Args:
        opened: The open bundle.
        tables: The number of tables.
        kind: The name of their file format.

    Raises:
        ReleaseError: The disk is full.
    """
    # Streamlit can end this run whenever the bar moves: so any click, as on Stop, ends it.
    bar = st.progress(0.0, text=f"Making the first of {say_count(tables, 'table')} …")
    st.button("Stop: no table is kept", icon=":material/stop:", key="used_several_stop")
    place = state.folder().fresh()
    replicates = replicates_of(opened.analysis.result, opened.certificate, tables)

    def tell(done: int, of: int) -> None:
        """Show how many of the tables are made."""
        bar.progress(done / of, text=f"Table {done:,} of {of:,}")

    replicates.save(place / "tables", formats=kind, progress=tell)
    try:
        path = shutil.make_archive(str(place / "replicates"), "zip", place / "tables")
    except OSError:
        raise ReleaseError(
            "The tables cannot be packed: the disk of this server is full."
        ) from None
    shutil.rmtree(place / "tables", ignore_errors=True)
    before: Path | None = state.read_value(_place(opened))
    if before is not None:
        state.folder().drop(before)
    state.keep(_place(opened), Path(path))


def _place(opened: Using) -> str:
    return f"used_several {opened.certificate}"


def _take(opened: Using) -> None:
    """Show the download of the tables and the rule for combining them, once they are made."""
    path: Path | None = state.read_value(_place(opened))
    if path is None or not path.is_file():
        return
    download(
        f"Download {ARCHIVE}",
        path.read_bytes,
        ARCHIVE,
        mime="application/zip",
        icon=":material/download:",
        key="used_several_take",
    )
    st.caption(in_markdown(RULE))
