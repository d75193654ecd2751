"""The report: one page that needs no network and runs no text of the table."""

import math
import re
from pathlib import Path

import pytest

from synth.bundle import noise_shape
from synth.domain import Categorical, Domain
from synth.verification import verify
from tests.bundle.bundles import make_bundle, read_bundle
from tests.tables import MIXED


@pytest.mark.usefixtures("real_plotly")
def test_the_report_needs_no_network_and_holds_plotly_once(tmp_path: Path) -> None:
    """The report carries plotly.js itself, refers to no other server, and has a table for
    every chart.

    plotly.js has over a million characters. There is a chart for each column and one of the
    noise.
    """
    bundle = make_bundle(tmp_path)
    verify(bundle)

    page = read_bundle(bundle)["report.html"].decode()
    assert len(page) > 10**6
    assert page.count("* plotly.js v") == 1

    # The page without plotly.js, which holds addresses of its own.
    outside = re.sub(r"<script>/\*\*.*?</script>", "", page, count=1, flags=re.S)
    assert not re.search(r"(src|href)=['\"]?(https?:)?//", outside)
    assert "default-src 'none'" in page

    assert (
        page.count("role='img'")
        == page.count("The same as a table")
        == 2 + len(MIXED.columns)
    )


def test_the_report_is_the_same_whatever_else_draws_charts(
    bundle_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A report verifies, though the process sets another look for all its charts.

    Streamlit does so as it is imported.
    """
    for look in ("plotly_dark", "plotly"):
        monkeypatch.setattr("plotly.io.templates.default", look)
        verify(bundle_path)


def test_names_are_escaped_in_the_report(tmp_path: Path) -> None:
    """Names and categories that look like HTML are not run by a browser as such."""
    domain = Domain(
        (Categorical(name="<script>x</script>", categories=("<b>", "</script>")),)
    )

    page = read_bundle(make_bundle(tmp_path, rows=[["<b>"]] * 9, domain=domain))[
        "report.html"
    ].decode()

    # The page without plotly.js, which is a script.
    outside = re.sub(r"<script>/\*\*.*?</script>", "", page, count=1, flags=re.S)
    assert "<script>x" not in outside
    assert "<b>" not in outside


def test_noise_shape_is_the_discrete_laplace_law() -> None:
    """The chart of the noise shows the discrete Laplace law.

    With scale 2 and q = e^(-1/2) the chance of 0 is (1 - q) / (1 + q). Over 5 rows are 2 q^6
    / (1 + q) = 6 %, over 6 rows 4 %, so 95 % are within 6.
    """
    picture = noise_shape(2.0)
    q = math.exp(-0.5)
    at_zero = picture.table.set_index("noise")["chance"][0]

    assert at_zero == pytest.approx((1 - q) / (1 + q))
    assert "±6 rows" in picture.alt


def test_wide_noise_is_drawn_with_few_bars_around_zero() -> None:
    """Noise of scale 2,000 is drawn with few bars, so that a chart stays small.

    Up to 400 rows to each side of 0, every sixth value has a bar. These are 133.
    """
    table = noise_shape(2000.0).table

    assert len(table) < 150
    assert 0 in set(table["noise"])
