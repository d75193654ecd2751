"""Reports with charts: one page that needs no network and runs no text of the table."""

import math
import re

import pytest

from synth.bundle import gallery, noise_shape, page


@pytest.mark.usefixtures("real_plotly")
def test_a_page_needs_no_network_and_holds_plotly_once() -> None:
    """A page with charts carries plotly.js itself, and refers to no other server.

    plotly.js has over a million characters. Each chart has a table, and titles are texts.
    """
    pictures = [("<b>", noise_shape(2.0)), ("noise", noise_shape(9.0))]
    content = page("</title>", gallery(pictures))
    assert len(content) > 10**6
    assert content.count("* plotly.js v") == 1
    # The page without plotly.js, which holds addresses of its own.
    outside = re.sub(r"<script>/\*\*.*?</script>", "", content, count=1, flags=re.S)
    assert not re.search(r"(src|href)=['\"]?(https?:)?//", outside)
    assert "default-src 'none'" in content
    assert content.count("role='img'") == content.count("The same as a table") == 2
    assert "<h2>&lt;b&gt;</h2>" in content
    assert "<title>&lt;/title&gt;</title>" in content


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
