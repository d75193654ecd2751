"""The errors of the public table, of the release with it as a guess, and of one without
it.
"""

from functools import partial
from typing import Any

import streamlit as st

from pages.ui.compare.compared import Findings
from pages.ui.shell import state
from pages.ui.shell.numbers import percent
from pages.ui.shell.widgets import upload
from synth import limits
from synth.estimate import PublicSource, PublicTable
from synth.foreign import in_markdown
from synth.private.comparison import beside_public
from synth.spending import read_public


def guess_view(findings: Findings) -> None:
    """Show the mean errors of pairs with and without the public table.

    The release started from the public table as a first guess. If the session does not have
    that table any more, it is asked for.
    """
    source = findings.compared.result.plan.public
    assert source is not None, "the view is for releases around a public table"
    if source.digest not in findings.by_public:
        _find(findings)
    comparison = findings.by_public.get(source.digest)
    if comparison is None:
        _take(findings)
    else:
        errors = (
            ("The public table alone", comparison.stands),
            ("This release, around it", comparison.released),
            ("Without it (forecast)", comparison.without),
        )
        for place, (label, error) in zip(st.columns(3), errors, strict=True):
            place.metric(label, percent(error), border=True)
        st.caption(
            "The average error of pairs of columns in the public table. The release without "
            "it is a forecast over all pairs."
        )
        if comparison.warning:
            st.warning(in_markdown(comparison.warning), icon=":material/warning:")


def _find(findings: Findings) -> None:
    """Compare with the plan's public table if the session still has it.

    It has the table if the digests agree. The result is stored in ``findings.by_public``.
    """
    table = state.draft().public
    source = findings.compared.result.plan.public
    if table is not None and source is not None and table.source.digest == source.digest:
        _compare(findings, table)


def _take(findings: Findings) -> None:
    """Show the upload of the public table from which the release started."""
    source = findings.compared.result.plan.public
    assert source is not None
    st.markdown(
        in_markdown(
            f"The guess was a public table of {source.rows:,} rows, for which "
            f"{source.vouched_by} vouches. It is not at hand: no project and no bundle keeps "
            "it."
        )
    )
    upload(
        "compared_public",
        "The public table that was the guess",
        partial(_read, findings, source),
        max_upload_size=limits.upload_mb(),
    )


def _read(findings: Findings, source: PublicSource, uploaded: Any) -> None:
    """Read an uploaded public table and compare with it; then the upload is deleted.

    Args:
        findings: The comparison, which stores the result.
        source: The record of the release's public table.
        uploaded: The file from the uploader.

    Raises:
        SynthError: The file cannot be read, or is another table.
    """
    path = state.folder().keep(uploaded, uploaded.name)
    try:
        with state.while_open():
            table = read_public(path, findings.compared.domain, source.vouched_by)
        _compare(findings, table)
    finally:
        state.folder().drop(path)


def _compare(findings: Findings, table: PublicTable) -> None:
    findings.by_public[table.source.digest] = beside_public(findings.compared, table)
