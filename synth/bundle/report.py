"""The external report: one HTML page that needs no network and shows nothing private.

All its numbers come from the certificate, the noisy counts and the synthetic rows. Every
picture has alternative text and a table of the same numbers.
"""

import math
from collections.abc import Iterable, Sequence
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import plotly.graph_objects as go
import plotly.io as pio

from synth.bundle.certificate import ReleaseCertificate
from synth.bundle.certificate_parts import NOT_IN_LEDGER
from synth.bundle.declaration import beyond_of, decisions_in
from synth.bundle.noisy_picture import view_repaired
from synth.bundle.texts import cost_in_words
from synth.estimate import HistogramRecord, Record
from synth.foreign import in_picture
from synth.noise import LaplaceLaw, reach
from synth.privacy import plain, scientific
from synth.rows import SyntheticTable
from synth.util import (
    REAL,
    Floats,
    Ints,
    Picture,
    check_deadline,
    released_against_drawn,
    set_axes,
)

_PAGE_STYLE = Path(__file__).with_suffix(".css").read_text("utf-8")

# The largest noise that a picture draws, in rows, and about the most bars to either side.
MAX_DRAWN_NOISE = 400
MAX_BARS = 60

# The page's content policy: nothing from elsewhere.
_POLICY = (
    "default-src 'none'",
    "script-src 'unsafe-inline'",
    "style-src 'unsafe-inline'",
    "img-src data: blob:",
)


def write_report(
    certificate: ReleaseCertificate, record: Record, synthetic: SyntheticTable
) -> str:
    """Return the report of a release, as HTML.

    Args:
        certificate: The certificate.
        record: The noisy counts.
        synthetic: The synthetic rows.
    """
    guarantee = certificate.guarantee
    return page(
        f"Synthetic release of '{certificate.dataset}'",
        f"""<p><span class="lane">External report: safe to share</span></p>
<p>{escape(certificate.rows_fit)}</p>
<p>{certificate.rows:,} synthetic rows of {len(synthetic.domain.columns)} columns.
{escape(guarantee.statement)}</p>
<ul>{list_items(certificate.caveats)}</ul>
<h2>The certificate in short</h2>{_facts(certificate)}
{_scores(certificate)}
{gallery(_pictures(record, synthetic))}
<p class="quiet">Every number on this page comes from the declared domain, the noisy counts and
the synthetic rows only.</p>""",  # noqa: E501
    )


def page(title: str, body: str, *, style: str = "", charts: bool = True) -> str:
    """Return an HTML page that needs no network.

    Args:
        title: The title, as plain text.
        body: What follows the title, as HTML.
        style: Additional CSS.
        charts: Whether the body has charts, so that plotly.js is included.
    """
    policy = "; ".join(_POLICY)
    return f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<title>{escape(title)}</title><style>
{_PAGE_STYLE}{style}</style>
{_charts() if charts else ""}</head><body>
<h1>{escape(title)}</h1>
{body}
</body></html>
"""


def _charts() -> str:
    """Return the program that draws charts, plotly.js, as an HTML element."""
    from plotly.offline import get_plotlyjs  # here, because it is slow to import

    return f"<script>{get_plotlyjs()}</script>"


def gallery(pictures: Sequence[tuple[str, Picture]]) -> str:
    """Return pictures with their titles, as HTML.

    Args:
        pictures: The title and the picture of each.
    """
    figures = [
        _figure(f"figure-{number}", title, picture)
        for number, (title, picture) in enumerate(pictures)
    ]
    return "".join(figures)


def _pictures(record: Record, synthetic: SyntheticTable) -> list[tuple[str, Picture]]:
    """Return the pictures of a release, each with its title before it.

    For a histogram, the first two show the noise, and the noisy counts with their repair.
    Then one for each column compares its noisy shares with those of the synthetic rows.
    """
    pictures = []
    if record.scale is not None:  # a histogram, whose cells all have the same noise
        pictures.append(("The noise on every cell", noise_shape(float(record.scale))))
    if isinstance(record, HistogramRecord):
        view = view_repaired(record.noisy, record.distribution)
        title = "The noisy counts, and the repair of those below 0"
        pictures.append((title, view.draw(sort=True, only_small=True)))
    total = round(record.total)
    for noisy in record.columns():
        check_deadline()
        column = synthetic.domain.columns[noisy.column]
        counts = np.bincount(synthetic.codes_of(noisy.column), minlength=column.size)
        picture = released_against_drawn(
            column.name,
            column.titles,
            _shares(noisy.counts, total),
            synthetic=_shares(counts, synthetic.rows),
            # Half the width of the noise's 95 % interval, as a share of the rows.
            error=None if noisy.reach is None else noisy.reach / max(total, 1),
        )
        pictures.append((f"Column '{column.name}'", picture))
    return pictures


def noise_shape(scale: float) -> Picture:
    """Draw the law of the noise on every cell, in rows.

    It is the discrete Laplace law, P(z) ~ exp(-abs(z) / scale).

    Args:
        scale: The scale of the noise, in rows.
    """
    # Beyond 5 scales, the bars are too low to be seen (e^-5 of the highest).
    # Even the smallest noise has 4 bars to either side.
    longest = min(MAX_DRAWN_NOISE, max(4, math.ceil(5 * scale)))
    # Of a wide law, only each value that is a multiple of the step has a bar.
    step = max(1, longest // MAX_BARS)
    noise = np.arange(-(longest // step) * step, longest + 1, step)
    chances = LaplaceLaw(scale).chances(noise)
    table = pd.DataFrame({"noise": noise, "chance": chances})
    bars = go.Bar(
        x=noise,
        y=chances,
        marker_color=REAL,
        name="chance",
        hovertemplate="%{x:+d} rows<br>chance %{y:.2%}<extra></extra>",
    )
    figure = go.Figure(bars)
    set_axes(figure, x="rows added to a cell's count", y="chance", height=240)
    figure.update_yaxes(tickformat=".0%")
    figure.update_layout(bargap=0.15, showlegend=False)
    reach_95 = reach(LaplaceLaw(scale), 0.95)
    alt = (
        f"Two-sided falling bars around zero: noise of scale {scale:.3g}. "
        f"In 95 of 100 cells it is within ±{reach_95} rows."
    )
    return Picture(figure, alt, table)


def list_items(texts: Iterable[str]) -> str:
    """Return texts as the items of a list, as HTML."""
    return "".join(f"<li>{escape(text)}</li>" for text in texts)


def _shares(counts: Floats | Ints, total: int) -> npt.NDArray[np.float64]:
    """Return counts as shares of so many rows; of no rows, the shares are 0.

    Noisy counts may say that there are none (``total`` is 0).
    """
    return np.asarray(counts, dtype=float) / max(total, 1)


def _facts(certificate: ReleaseCertificate) -> str:
    """Return the certificate's main facts as a table in HTML, one line for each fact."""
    mechanism = certificate.mechanism
    facts = {
        "Guarantee": certificate.guarantee.kind,
        "Epsilon": plain(certificate.guarantee.epsilon),
    }
    if certificate.guarantee.delta:
        facts["Delta"] = scientific(certificate.guarantee.delta)
    facts |= {
        "Neighbours": certificate.neighbors.value,
        "Privacy unit": certificate.privacy_unit,
        "Mechanism": mechanism.name,
        **mechanism.facts,
        "Sampler": mechanism.sampler,
        "Domain": certificate.domain_origin,
    }
    preparations = certificate.declaration.preparations
    if preparations:
        facts["Paid for before"] = ", ".join(
            f"{preparation.kind}: {cost_in_words(preparation.guarantee)}"
            for preparation in preparations
        )
    if about_declaration := beyond_of(certificate).strip():
        facts["About the declaration"] = about_declaration
    decisions = decisions_in(certificate)
    facts |= {
        label: sentence
        for label, sentence in (
            ("Columns left out", decisions.left_out_sentence.removeprefix("Left out: ")),
            ("Agreed losses", decisions.agreed_sentence),
        )
        if sentence
    }
    facts["Repair"] = certificate.repair_words
    recorded = certificate.ledger_record
    facts["Ledger"] = f"entry {recorded.entry}" if recorded else NOT_IN_LEDGER
    rows = [
        f"<tr><th>{label}</th><td>{escape(fact)}</td></tr>" for label, fact in facts.items()
    ]
    return f"<table>{''.join(rows)}</table>"


def _scores(certificate: ReleaseCertificate) -> str:
    """Return the utility scores, as HTML; empty if there are none.

    The error is a mean total variation: 0 if the rows are as in the table, 1 at worst. With
    noise it may be negative, and the k-marginal score above 1000; then the limit is shown.
    """
    if not certificate.scores:
        return ""
    paragraphs = [
        f"<p>The {escape(score.what)} is <b>{max(0, score.error):.4f}</b> "
        f"(95 % interval: ± {score.reach:.4f}); as a k-marginal score, "
        f"{min(1000, score.k_marginal):.0f} of 1000. Bought for epsilon "
        f"{escape(plain(score.epsilon))}, which the guarantee includes.</p>"
        for score in certificate.scores
    ]
    return f"<h2>How close it is</h2>{''.join(paragraphs)}"


def _figure(name: str, title: str, picture: Picture) -> str:
    """Return a picture with its alternative text and its table of numbers, as HTML.

    Args:
        name: The identifier of the picture in the page.
        title: Its title, as plain text.
        picture: The picture.
    """
    # Whoever shows charts (Streamlit does) may have set another look for all of them; the
    # page must come out the same wherever it is written, and be light.
    figure = in_picture(picture.figure)
    figure["layout"] = {"template": None, **figure["layout"]}  # the first part, always
    figure["layout"]["template"] = _plotly_template()
    config = {"displayModeBar": False, "responsive": True}
    drawing = pio.to_html(
        figure,
        validate=False,
        full_html=False,
        include_plotlyjs=False,
        div_id=name,
        config=config,
    )
    return (
        f"<h2>{escape(title)}</h2><figure role='img' aria-label='{escape(picture.alt)}'>"
        f"{drawing}</figure><p class='quiet'>{escape(picture.alt)}</p>"
        f"<details><summary>The same as a table</summary>{_table(picture)}</details>"
    )


@cache
def _plotly_template() -> dict[str, Any]:
    """Return Plotly's own template, checked only once.

    Checking it for each figure is slower than drawing the figure.
    """
    figure = go.Figure(layout={"template": "plotly"})
    template: dict[str, Any] = figure.to_dict()["layout"]["template"]
    return template


def _table(picture: Picture) -> str:
    """Return the table of a picture's numbers, as HTML."""
    head = "".join(f"<th>{escape(str(name))}</th>" for name in picture.table.columns)
    rows = "".join(
        f"<tr>{''.join(_cell(value) for value in row)}</tr>"
        for row in picture.table.itertuples(index=False)
    )
    return f"<table><tr>{head}</tr>{rows}</table>"


def _cell(value: object) -> str:
    """Return a cell of a table, as HTML; floats with four decimals, to the right."""
    if isinstance(value, float):
        return f"<td class='n'>{value:.4f}</td>"
    return f"<td>{escape(str(value))}</td>"
