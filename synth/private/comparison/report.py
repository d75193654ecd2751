"""The internal report: real against synthetic on one HTML page. PRIVATE - do not share.

It is made on request from a comparison and marked on every printed page. It is never part of
a bundle: no module that writes one imports this."""

from html import escape

from synth.bundle import gallery, page
from synth.estimate import side_by_side
from synth.private.comparison import figures
from synth.private.comparison.associations import measure_associations, slopes
from synth.private.comparison.error_sources import all_parts, number_parts
from synth.private.comparison.numeric_columns import read_columns
from synth.private.comparison.tables import Compared, measure_coverage, real_errors
from synth.util import Picture, add_watermark, two_way, worst_first

MARK = "PRIVATE - do not share"

_BANNER_STYLE = """
.private{position:fixed;top:0;left:0;right:0;background:#8c1d2b;color:#fff;text-align:center;
font-weight:600;padding:.2rem;z-index:9}.across{position:fixed;top:42%;left:0;right:0;
text-align:center;font-size:4.5rem;color:#8c1d2b;opacity:.1;transform:rotate(-24deg);
pointer-events:none;z-index:8}body{padding-top:2rem}
"""

_COLUMNS_SHOWN = 30


def internal_report(seen: Compared) -> str:
    """Return the page. PRIVATE: it shows numbers of the confidential table.

    Raises:
        TableError: The table can't be read.
    """
    certificate, recorded = seen.result.certificate, seen.result.certificate.ledger_record
    entry = recorded.entry if recorded else "no ledger"
    shown = [(title, add_watermark(picture)) for title, picture in _pictures(seen)]
    body = f"""<div class="private">{MARK}</div><div class="across" aria-hidden="true">{MARK}</div>
<p><b>{MARK}.</b> This page reads the confidential table. No guarantee covers it; it is for those
who may see the table itself.</p>
<p>Release of entry {entry}: {escape(certificate.guarantee.statement)}</p>
{_summary(seen)}{gallery(shown)}"""  # noqa: E501
    return page(f"Internal report on '{certificate.dataset}'", body, style=_BANNER_STYLE)


def _summary(seen: Compared) -> str:
    errors, floor = seen.errors, seen.errors.floor
    coverage = measure_coverage(seen)
    facts = {
        "Columns off by": f"{errors.one_way.mean:.4f} (chance alone {floor[0].mean:.4f})",
        "Pairs off by": f"{errors.two_way.mean:.4f} (chance alone {floor[1].mean:.4f})",
        "Triples off by": f"{errors.three_way.mean:.4f} (chance alone {floor[2].mean:.4f})",
        "k-marginal score": f"{errors.k_marginal:.0f} of 1000",
        "As close as a sample of": f"{errors.subsample_percent:.3g} % of the real rows",
        "Real shares within their bars": f"{coverage.within:,} of {coverage.bars:,}",
    }
    strength = slopes(measure_associations(seen).values())
    if strength.sentence:
        facts["How strong associations are"] = strength.sentence
    rows = [f"<tr><th>{name}</th><td>{value}</td></tr>" for name, value in facts.items()]
    return f"<h2>In short</h2><table>{''.join(rows)}</table>"


def _pictures(seen: Compared) -> list[tuple[str, Picture]]:
    errors = seen.errors
    tables = errors.one_way.by_table | errors.two_way.by_table
    floors = errors.floor[0].by_table | errors.floor[1].by_table
    worst, floor = (
        {figures.title(n): value for n, value in t.items()} for t in (tables, floors)
    )
    found = [
        ("Worst first", worst_first(worst, floor=floor)),
        ("Columns and pairs", two_way(seen.domain.names, seen.matrix())),
        ("Noise and drawing", figures.parts(all_parts(seen))),
    ]
    numbers = number_parts(seen, read_columns(seen.table, seen.domain))
    if numbers:
        found.append(("Binning, noise and drawing of numbers", figures.number_parts(numbers)))
    columns = [
        (
            f"Column '{name}'",
            figures.column(name, *seen.shares(name), seen.result.interval(name)),
        )
        for (name, *_), _ in errors.one_way.worst_first[:_COLUMNS_SHOWN]
    ]
    return [*found, *_of_pairs(seen), *_of_method(seen), *columns]


def _of_pairs(seen: Compared) -> list[tuple[str, Picture]]:
    if not seen.pairs:
        return []
    found = measure_associations(seen)
    matrix = seen.matrix({names: one.synthetic - one.real for names, one in found.items()})
    return [("Associations", figures.changes(seen.domain.names, matrix, found))]


def _of_method(seen: Compared) -> list[tuple[str, Picture]]:
    repairs = side_by_side(seen.result.record.histogram)
    if repairs:
        return [("Repairs", figures.repairs(repairs, real_errors(seen, repairs)))]
    bars = seen.result.pair_bars
    known = seen.errors.two_way.by_table
    return [("The model's bars", figures.pair_bars(bars, known))] if bars else []
