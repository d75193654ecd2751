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
    certificate = compared.result.certificate
    # The spend in a ledger, whose entries have numbers; None if it is not recorded.
    recorded = certificate.ledger_record
    entry = recorded.entry if recorded else "no ledger"
    marked_pictures = [
        (title, add_watermark(picture)) for title, picture in _pictures(compared)
    ]
    body = f"""<div class="private">{MARK}</div><div class="across" aria-hidden="true">{MARK}</div>
<p><b>{MARK}.</b> This page reads the confidential table. No guarantee covers it; it is for those
who may see the table itself.</p>
<p>Release of entry {entry}: {escape(certificate.guarantee.statement)}</p>
{_summary(compared)}{gallery(marked_pictures)}"""  # noqa: E501
    return page(f"Internal report on '{certificate.dataset}'", body, style=_BANNER_STYLE)


def _summary(compared: Compared) -> str:
    """Return the main numbers of a comparison as an HTML table under a heading.

    Distances are mean total variations, next to those that chance alone would make.
    """
    errors = compared.errors
    floor = errors.floor
    coverage = measure_coverage(compared)
    facts = {
        "Columns off by": f"{errors.one_way.mean:.4f} (chance alone {floor[0].mean:.4f})",
        "Pairs off by": f"{errors.two_way.mean:.4f} (chance alone {floor[1].mean:.4f})",
        "Triples off by": f"{errors.three_way.mean:.4f} (chance alone {floor[2].mean:.4f})",
        "k-marginal score": f"{errors.k_marginal:.0f} of 1000",
        "As close as a sample of": f"{errors.subsample_percent:.3g} % of the real rows",
        "Real shares within their bars": f"{coverage.within:,} of {coverage.bars:,}",
    }
    strength = slopes(measure_associations(compared).values())
    if strength.sentence:
        facts["How strong associations are"] = strength.sentence
    rows = [f"<tr><th>{name}</th><td>{value}</td></tr>" for name, value in facts.items()]
    return f"<h2>In short</h2><table>{''.join(rows)}</table>"


def _pictures(compared: Compared) -> list[tuple[str, Picture]]:
    """Return the pictures of a comparison, each after its title, in the report's order."""
    # Total variations of columns and pairs, and what chance alone would make of them.
    errors = compared.errors
    tables = errors.one_way.by_table | errors.two_way.by_table
    floors = errors.floor[0].by_table | errors.floor[1].by_table
    worst, floor = (
        {figures.title(names): value for names, value in by_table.items()}
        for by_table in (tables, floors)
    )
    pictures = [
        ("Worst first", worst_first(worst, floor=floor)),
        ("Columns and pairs", two_way(compared.domain.names, compared.matrix())),
        ("Noise and drawing", figures.parts(all_parts(compared))),
    ]
    numbers = number_parts(compared, read_columns(compared.table, compared.domain))
    if numbers:
        pictures.append(
            ("Binning, noise and drawing of numbers", figures.number_parts(numbers))
        )
    # The columns with the largest errors; the names of a table of one column are one name.
    columns = [
        (
            f"Column '{name}'",
            figures.column(name, compared.shares(name), compared.result.interval(name)),
        )
        for (name, *_), _ in errors.one_way.worst_first[:_COLUMNS_SHOWN]
    ]
    return [*pictures, *_picture_pairs(compared), *_picture_method(compared), *columns]


def _picture_pairs(compared: Compared) -> list[tuple[str, Picture]]:
    """Return a title and the picture of how associations changed; none without pairs."""
    if not compared.pairs:
        return []
    associations = measure_associations(compared)
    changes = {
        names: association.synthetic - association.real
        for names, association in associations.items()
    }
    matrix = compared.matrix(changes)
    return [("Associations", figures.changes(compared.domain.names, matrix, associations))]


def _picture_method(compared: Compared) -> list[tuple[str, Picture]]:
    """Return a title and a picture about the release's method, if there is one.

    A histogram has the repairs of its noisy counts, and a model the error bars of its pairs.
    """
    repairs = side_by_side(compared.result.record.histogram)
    if repairs:
        return [("Repairs", figures.repairs(repairs, real_errors(compared, repairs)))]
    bars = compared.result.pair_bars
    if not bars:
        return []
    return [("The model's bars", figures.pair_bars(bars, compared.errors.two_way.by_table))]
