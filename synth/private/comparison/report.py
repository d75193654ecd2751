"""The internal report: real against synthetic on one HTML page. PRIVATE - do not share.

It is made on request from a comparison and marked on every printed page. It is never part of
a bundle: no module that writes one imports this."""

from html import escape

from synth.bundle import gallery, list_items, page
from synth.private.comparison.findings import Findings
from synth.private.comparison.tables import Compared
from synth.util import Picture, add_watermark

MARK = "PRIVATE - do not share"

_BANNER_STYLE = """
.private{position:fixed;top:0;left:0;right:0;background:#8c1d2b;color:#fff;text-align:center;
font-weight:600;padding:.2rem;z-index:9}.across{position:fixed;top:42%;left:0;right:0;
text-align:center;font-size:4.5rem;color:#8c1d2b;opacity:.1;transform:rotate(-24deg);
pointer-events:none;z-index:8}body{padding-top:2rem}
"""

# Most columns with a picture of their own, the worst ones.
_COLUMNS_SHOWN = 30


def internal_report(compared: Compared) -> str:
    """Return the internal report as a page of HTML.

    PRIVATE: it shows numbers of the confidential table.

    Args:
        compared: The confidential table and the release.

    Raises:
        TableError: The table can't be read.
    """
    findings = Findings(compared)
    certificate = compared.result.certificate
    # The spend in a ledger, whose entries have numbers; None if it is not recorded.
    recorded = certificate.ledger_record
    entry = recorded.entry if recorded else "no ledger"
    marked_pictures = [
        (title, add_watermark(picture)) for title, picture in _pictures(findings)
    ]
    body = f"""<div class="private">{MARK}</div><div class="across" aria-hidden="true">{MARK}</div>
<p><b>{MARK}.</b> This page reads the confidential table. No guarantee covers it; it is for those
who may see the table itself.</p>
<p>Release of entry {entry}: {escape(certificate.guarantee.statement)}</p>
{_summary(findings)}<h2>All columns, the worst first</h2>
<p>Bars are real rows, lines are synthetic ones. Each picture has its own scale.</p>
{findings.draw_columns(findings.values.worst_first).html}{gallery(marked_pictures)}"""  # noqa: E501
    return page(f"Internal report on '{certificate.dataset}'", body, style=_BANNER_STYLE)


def _summary(findings: Findings) -> str:
    """Return the verdict and the main numbers as HTML, with a table.

    Distances are mean total variations, next to the ones that chance alone would make.
    """
    errors = findings.compared.errors
    values = findings.values
    floor = errors.floor
    coverage = findings.coverage
    facts = {
        "Columns off by value": _beside_chance(values.mean, values.mean_chance),
        "Columns off in cells": _beside_chance(errors.one_way.mean, floor[0].mean),
        "Pairs off in cells": _beside_chance(errors.two_way.mean, floor[1].mean),
        "Triples off in cells": _beside_chance(errors.three_way.mean, floor[2].mean),
        "k-marginal score": f"{errors.k_marginal:.0f} of 1000",
        "As close as a sample of": f"{errors.subsample_percent:.3g} % of the real rows",
        "Real shares within their bars": f"{coverage.within:,} of {coverage.bars:,}",
    }
    if findings.slopes.sentence:
        facts["How strong associations are"] = findings.slopes.sentence
    rows = [f"<tr><th>{name}</th><td>{value}</td></tr>" for name, value in facts.items()]
    verdict = findings.verdict
    return (
        f"<h2>In short</h2><p><b>{escape(verdict.sentence)}</b></p>"
        f"<ul>{list_items(verdict.reasons)}</ul><table>{''.join(rows)}</table>"
    )


def _beside_chance(error: float, chance: float) -> str:
    return f"{error:.4f} (chance alone {chance:.4f})"


def _pictures(findings: Findings) -> list[tuple[str, Picture]]:
    """Return the pictures of a comparison, each after its title, in the report's order."""
    pictures = [("Columns and pairs", findings.draw_pairs())]
    if findings.has_pairs:
        pictures.append(("Worst pairs", findings.draw_worst_pairs()))
        pictures.append(("Strength of relations", findings.draw_changes()))
    pictures.append(("Noise and drawing", findings.draw_parts()))
    if findings.numbers:
        pictures.append(
            ("Binning, noise and drawing of numbers", findings.draw_number_parts())
        )
    # A histogram has repairs of its noisy counts, and a model error bars of its pairs.
    if findings.repairs[0]:
        pictures.append(("Repairs", findings.draw_repairs()))
    elif findings.compared.result.pair_bars:
        pictures.append(("The model's bars", findings.draw_bars()))
    worst = findings.values.worst_first[:_COLUMNS_SHOWN]
    columns = [(f"Column '{name}'", findings.draw_column(name)) for name in worst]
    return [*pictures, *columns]
