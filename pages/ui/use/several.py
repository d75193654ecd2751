"""Replicates of a release: made with a progress bar, stoppable, then offered as files."""

import shutil
from pathlib import Path

import streamlit as st

from pages.ui.shell import state
from pages.ui.shell.charts import Lane, badge
from pages.ui.shell.numbers import say_count
from pages.ui.shell.widgets import download
from pages.ui.shell.writing import Progress, start_writing, watch_writing, writing_job
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

ARCHIVE = "replicates.zip"


def make_replicates(opened: Using) -> None:
    """Show the form that makes several tables of a release, and the download of their file.

    The tables are made in a thread of their own, which the page watches and can stop.
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
    at_work = writing_job() is not None
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
        on_click=_make,
        args=(opened,),
        disabled=at_work,
        width="stretch",
    )
    watch_writing(_place(opened))
    _take(opened)


@state.guard
def _make(opened: Using) -> None:
    """Start to make several tables of a release, packed as a zip for the download.

    SynthError if they cannot be written.
    """
    tables = int(state.read_value("used_several") or MIN_TABLES)
    kind: RowsFormatName = state.read_value("used_several_as") or "csv"
    result = opened.analysis.result
    check_replicates(result, replica_formats(kind), state.folder().fresh() / "tables")
    replicates = replicates_of(result, opened.certificate, tables)

    def write(folder: Path, progress: Progress) -> Path:
        """Make the tables and pack them, and return the path of the zip."""
        replicates.save(
            folder / "tables", formats=kind, progress=lambda done, of: progress(done / of)
        )
        try:
            path = shutil.make_archive(str(folder / "replicates"), "zip", folder / "tables")
        except OSError:
            raise ReleaseError(
                "The tables cannot be packed: the disk of this server is full."
            ) from None
        shutil.rmtree(folder / "tables", ignore_errors=True)
        return Path(path)

    before: Path | None = state.read_value(_place(opened))
    if before is not None:
        state.folder().drop(before)
        state.keep(_place(opened), None)
    start_writing(write, place=_place(opened), title=say_count(tables, "table"))


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
