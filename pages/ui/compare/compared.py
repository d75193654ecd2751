"""A release compared with its table. PRIVATE: it stays in the session."""

from pages.ui.shell.release import Release
from synth.private.comparison import Findings as Findings
from synth.private.comparison import compare_tables


def compare_release(release: Release) -> Findings:
    """Return the comparison of a release with its table, with its verdict."""
    assert release.source is not None  # the step is locked without a table
    findings = Findings(compare_tables(release.source.table, release.result))
    findings.verdict  # noqa: B018 - computed by the click that asks for it, and kept
    return findings
