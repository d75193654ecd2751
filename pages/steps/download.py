"""Step 6: the files of a release, all of them public."""

from pathlib import Path

import streamlit as st

from pages.ui.frame import frame
from pages.ui.release.accepting import writing
from pages.ui.release.publishing import may_publish
from pages.ui.shell.charts import Lane, badge
from pages.ui.shell.exports import other_formats
from pages.ui.shell.job import BUNDLE
from pages.ui.shell.promise import show_promise
from pages.ui.shell.release import Release
from pages.ui.shell.widgets import download, show_command
from pages.ui.shell.words import command_line
from synth.bundle import CERTIFICATE, DOMAIN, NOISY, SYNTHETIC, sha256

FILES = {
    SYNTHETIC: ("The synthetic table", "text/csv", ":material/table:"),
    NOISY: ("Noisy counts of the cells", "text/csv", ":material/bar_chart:"),
    DOMAIN: ("The declared domain", "application/json", ":material/schema:"),
    CERTIFICATE: ("The certificate", "application/json", ":material/verified:"),
}


def show_everything(release: Release) -> None:
    path = release.files[BUNDLE]
    download(
        f"Download everything ({BUNDLE}, {size(path)})",
        path.read_bytes,
        BUNDLE,
        "application/zip",
        icon=":material/folder_zip:",
        key=f"download_{BUNDLE}",
    )
    st.caption(
        "The bundle has these files, byte for byte, the table as Parquet, a statement in plain "
        "words, a data dictionary and a report; the certificate lists them all. In CSV files an "
        "apostrophe stands before cells that a spreadsheet would run. "
        "`python -m synth verify bundle.zip` checks it."
    )


def buttons(release: Release) -> None:
    names = [name for name in release.files if name != BUNDLE]
    for name, place in zip(names, st.columns(len(names), border=True), strict=True):
        path = release.files[name]
        label, mime, icon = FILES.get(name, (name, None, ":material/description:"))
        with place:
            st.markdown(f"**{label}**")
            st.caption(f"{name}, {size(path)}")
            download(
                "Download",
                path.read_bytes,
                name,
                mime,
                icon=icon,
                key=f"download_{name}",
                type="primary" if name == SYNTHETIC else "secondary",
            )


def size(path: Path) -> str:
    length = path.stat().st_size
    return f"{length / 1e6:.1f} MB" if length >= 1e5 else f"{length / 1e3:.1f} kB"


with frame.step("download") as draft:
    badge(Lane.DP)
    newest = list(reversed(draft.releases))
    release = newest[0]
    if len(newest) > 1:
        release = st.selectbox("Release", newest, format_func=lambda r: r.title)
    show_promise(release)
    if not release.files:
        writing(release)
        st.stop()
    buttons(release)
    show_everything(release)
    with st.expander("For Excel, SPSS, Stata and SAS", icon=":material/table_convert:"):
        digest = sha256(release.files[CERTIFICATE])
        other_formats(release.result.synthetic, digest, "released")
    may_publish(release)
    table = release.source.title if release.source else release.plan.dataset
    note = "It draws new noise, and so spends epsilon once more."
    show_command(command_line(release.plan, table), note)
    with st.expander("The certificate", icon=":material/verified:"):
        st.json(release.files[CERTIFICATE].read_text(encoding="utf-8"), expanded=2)
