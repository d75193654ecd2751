"""``python -m synth compare TABLE SYNTHETIC``: the error of synthetic rows. Its output is
PRIVATE.

With a bundle, the error is split into binning, noise and drawing.
"""

import argparse
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from synth.bundle import guarded_domain, is_guarded, refuse_drawn_file, write
from synth.cli import plan as plans
from synth.cli.commands import progress, read_options, table_from, tell
from synth.cli.forecast import percent, utility_lines
from synth.cli.outputs import check_outputs
from synth.cli.saying import print_answer, set_run
from synth.domain import Domain
from synth.errors import ArgumentError
from synth.privacy import plain
from synth.private.counting import codes
from synth.private.table import Format, PrivateTable, open_table
from synth.util import Codes, Document, FileOutput, Protection, summarize

if TYPE_CHECKING:
    from synth.bundle import Result
    from synth.private.comparison import Compared, Comparison, NumberParts, Parts
    from synth.util import Names


def define(parser: argparse.ArgumentParser) -> None:
    set_run(parser, run)
    read_options(parser)
    plans.in_group(parser, "table").add_argument(
        "synthetic", metavar="SYNTHETIC", help="the synthetic table, or the bundle it is in"
    )
    plans.declare(parser, required=False)
    more = plans.in_group(parser, "if SYNTHETIC is a bundle")
    more.add_argument(
        "--target", metavar="COLUMN", help="train on synthetic rows, test on real ones"
    )
    more.add_argument("--public", metavar="FILE", help="the public table that was its guess")
    more.add_argument("--report", metavar="FILE.html", help="the internal report (private!)")
    plans.offer_options(parser, "overwrite", group="if SYNTHETIC is a bundle")


def run(options: argparse.Namespace) -> None:
    report = [FileOutput(options.report, (".html",))] if options.report else []
    protection = check_outputs(options, *report)
    progress("Comparing")
    if Path(options.synthetic).suffix == ".zip":
        from synth.verification import open_bundle

        if options.domain or options.columns:
            raise ArgumentError("A bundle has its domain; leave out --domain and --columns.")
        result = open_bundle(options.synthetic).result
        table = table_from(options, (*result.plan.domain.names, result.plan.unit.person))
        summary, lines = _bundle(options, table, result, protection=protection)
    else:
        refuse_drawn_file(options.synthetic)
        domain = _domain_from(options)
        table = table_from(options, domain.names)
        summary, lines = _rows(options, table, domain)
    print_answer(options, summary, ["PRIVATE - do not share.", *lines])
    tell(table, options)


def _domain_from(options: argparse.Namespace) -> Domain:
    for name in ("target", "report", "public"):
        if getattr(options, name):
            raise ArgumentError(
                f"--{name} needs the bundle of the release instead of its rows."
            )
    if options.domain is None:
        raise ArgumentError("A table of synthetic rows needs --domain; a bundle has its own.")
    return plans.domain_from(options)


def _rows(
    options: argparse.Namespace, table: PrivateTable, domain: Domain
) -> tuple[Document, list[str]]:
    from synth.private.comparison import associations_of, compare, slopes

    real, drawn = codes(table, domain), _read_synthetic(options.synthetic, domain)
    found = compare(domain, real, drawn)
    strength = slopes(associations_of(domain, real, drawn).values())
    told = {**summarize(found), **_tables(found), "association_slopes": asdict(strength)}
    return told, [*utility_lines(found), *([strength.sentence] if strength.sentence else [])]


def _read_synthetic(path: str, domain: Domain) -> list[Codes]:
    # A release's CSV file has guarded texts.
    is_csv = Path(path).suffix.lower() == ".csv"
    is_marked = is_csv and guarded_domain(domain) != domain and is_guarded(path, domain)
    table = open_table(path, Format(lines="span"))  # as a release writes its rows
    return codes(table, guarded_domain(domain) if is_marked else domain)


def _bundle(
    options: argparse.Namespace,
    table: PrivateTable,
    result: "Result",
    *,
    protection: Protection,
) -> tuple[Document, list[str]]:
    from synth.private.comparison import compare_derived, compare_tables, internal_report

    seen = compare_tables(table, result)
    summary = summarize(seen.errors)
    lines = utility_lines(seen.errors)
    details, more = _details(seen)
    lines += more
    followed = compare_derived(seen)
    if followed:
        details["derived"] = [asdict(one) for one in followed]
        lines += [f"{one.sentence} Off by {percent(one.error)}." for one in followed]
    if options.public:
        found, said = _compare_public(seen, options.public)
        details["public"] = found
        lines += said
    if options.target:
        from synth.private.comparison import targets, train

        if options.target not in targets(seen.domain):
            known = ", ".join(f"'{name}'" for name in targets(seen.domain)) or "none"
            raise ArgumentError(
                f"'{options.target}' cannot be predicted; these can: {known}."
            )
        trained = train(seen, options.target)
        details["training"] = asdict(trained)
        lines.append(
            f"'{options.target}' is predicted right in {trained.synthetic.plain:.1%} of "
            f"{trained.tested:,} real rows by a classifier trained on synthetic rows, "
            f"{trained.real.plain:.1%} if trained on real ones, "
            f"{trained.majority.plain:.1%} by the most frequent value."
        )
    if options.report:
        page = internal_report(seen).encode()
        path = protection.write_file(
            options.report, lambda part: part.write_bytes(page), private=True
        )
        lines.append(f"  {path}")
    return {**summary, **_tables(seen.errors), **details}, lines


def _compare_public(seen: "Compared", path: str) -> tuple[Document, list[str]]:
    from synth.private.comparison import beside_public
    from synth.spending import read_public

    plan = seen.result.plan
    named = plan.public.vouched_by if plan.public else "the steward"
    beside = beside_public(seen, read_public(path, seen.domain, named))
    return asdict(beside), [beside.sentence, *([beside.warning] if beside.warning else [])]


def _tables(found: "Comparison") -> Document:
    return {
        "by_table": [
            {"columns": list(names), "error": error, "chance": chance}
            for names, error, chance in found.by_table
        ]
    }


def _details(seen: "Compared") -> tuple[Document, list[str]]:
    from synth.estimate import side_by_side
    from synth.private.comparison import (
        all_parts,
        lost_groups,
        measure_associations,
        measure_coverage,
        number_parts,
        read_columns,
        real_errors,
        slopes,
    )

    numbers = number_parts(seen, read_columns(seen.table, seen.domain))
    parts, linked = all_parts(seen), measure_associations(seen)
    strength = slopes(linked.values())
    details: Document = {
        "parts": [{"columns": list(n), **asdict(part)} for n, part in parts.items()],
        "numbers": {name: asdict(part) for name, part in numbers.items()},
        "associations": [{"columns": list(n), **asdict(one)} for n, one in linked.items()],
        "association_slopes": asdict(strength),
        "small_groups": [asdict(one) for one in lost_groups(seen)],
        "bars": asdict(measure_coverage(seen)),
        "scores": write(seen.result.scores),
    }
    if repairs := side_by_side(seen.result.record.histogram):
        real = real_errors(seen, repairs)
        details["repairs"] = [
            {"repair": str(one.name), "expected_error": one.error, **asdict(real[one.name])}
            for one in repairs
        ]
    scores = [
        f"Bought score: {percent(score.error)} for epsilon {plain(score.epsilon)}."
        for score in seen.result.scores
    ]
    told = [strength.sentence] if strength.sentence else []
    return details, [*_part_lines(parts), *told, *_number_lines(numbers), *scores]


def _part_lines(parts: "dict[Names, Parts]") -> list[str]:
    pairs = [p for names, p in parts.items() if len(names) == 2 and p.noise is not None]
    if not pairs:
        return []
    left_out, noise, drawing = (
        sum(one or 0.0 for one in ones) / len(pairs)
        for ones in zip(*((p.left_out, p.noise, p.drawing) for p in pairs), strict=True)
    )
    rows = f"{percent(left_out)} by the rows left out of some persons, " if left_out else ""
    return [f"Of pairs: {rows}{percent(noise)} by the noise, {percent(drawing)} by drawing."]


def _number_lines(numbers: "dict[str, NumberParts]") -> list[str]:
    cut = sorted(numbers.items(), key=lambda item: -item[1].binning)
    return [
        f"Cutting '{name}' into bins moves its cumulative shares by up to "
        f"{percent(part.binning)}."
        for name, part in cut[:3]
        if part.binning >= 0.02
    ]
