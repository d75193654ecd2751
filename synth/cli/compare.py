"""``python -m synth compare TABLE SYNTHETIC``: the error of synthetic rows.

Its output is PRIVATE. With a bundle, the error is split into binning, noise and drawing.
"""

import argparse
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from synth.cli import plan as plans
from synth.cli.commands import progress, read_options, table_from, tell
from synth.cli.forecast import percent, utility_lines
from synth.cli.outputs import check_outputs
from synth.cli.saying import print_answer, set_run
from synth.domain import Domain
from synth.errors import ArgumentError
from synth.privacy import RowReading, plain
from synth.private.table import Format, PrivateTable, open_table
from synth.util import Document, FileOutput, Protection, summarize

if TYPE_CHECKING:
    from synth.bundle import Result
    from synth.private.comparison import (
        Compared,
        Comparison,
        Findings,
        NumberParts,
        Parts,
        ValueComparison,
        Verdict,
    )
    from synth.util import Names


# Most columns whose error by bins is shown, and the smallest such error, as a share of rows.
SHOWN_CUTS = 3
VISIBLE_CUT = 0.02


def define(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``synth compare``, and the function that runs."""
    set_run(parser, run)
    read_options(parser)
    plans.in_group(parser, "table").add_argument(
        "synthetic", metavar="SYNTHETIC", help="the synthetic table, or the bundle it is in"
    )
    plans.declare(parser, required=False)
    bundle_options = plans.in_group(parser, "if SYNTHETIC is a bundle")
    bundle_options.add_argument(
        "--target", metavar="COLUMN", help="train on synthetic rows, test on real ones"
    )
    bundle_options.add_argument(
        "--public", metavar="FILE", help="the public table that was its guess"
    )
    plans.offer_options(
        parser,
        "out",
        group="if SYNTHETIC is a bundle",
        metavar="FILE.html",
        help="the internal report (private!)",
    )
    plans.offer_options(parser, "overwrite", group="if SYNTHETIC is a bundle")


def run(options: argparse.Namespace) -> None:
    """Compare real and synthetic rows, and print the result. PRIVATE.

    The synthetic rows are a bundle (.zip), whose error is split by its causes, or a table.
    """
    from synth.bundle import refuse_drawn_file

    report = [FileOutput(options.out, (".html",))] if options.out else []
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
    """Return the domain for synthetic rows without their bundle.

    Raises:
        ArgumentError: It is missing, or an option needs the bundle.
    """
    for name in ("target", "out", "public"):
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
    """Compare a table with synthetic rows of a file. PRIVATE.

    Args:
        options: Name the file.
        table: The confidential table.
        domain: The declared columns of both.

    Returns:
        The errors as JSON and as lines of text.
    """
    from synth.private.comparison import (
        associations_of,
        compare,
        judge,
        measure_values,
        read_values,
        slopes,
    )

    real = read_values(table, domain)
    synthetic = read_values(*_open_synthetic(options.synthetic, domain))
    comparison = compare(domain, real.codes, synthetic.codes)
    values = measure_values(domain, real, synthetic)
    associations = associations_of(domain, real.codes, synthetic.codes).values()
    # How strong associations between columns are, as a share of the real ones.
    strength = slopes(associations)
    verdict = judge(values, associations)
    summary = {
        "verdict": verdict.document,
        **summarize(comparison),
        **_tables(comparison),
        "by_value": values.document,
        "association_slopes": asdict(strength),
    }
    lines = [*_verdict_lines(verdict, values), *utility_lines(comparison)]
    if strength.sentence:
        lines.append(strength.sentence)
    return summary, lines


def _verdict_lines(verdict: "Verdict", values: "ValueComparison") -> list[str]:
    """Return the verdict, its reasons, and the mean error by value, as lines."""
    by_value = (
        f"Columns by value: mean {percent(values.mean)} (chance alone "
        f"{percent(values.mean_chance)}). Below, numbers and dates count in their bins."
    )
    return [verdict.sentence, *verdict.reasons, by_value]


def _open_synthetic(path: str, domain: Domain) -> tuple[PrivateTable, Domain]:
    """Open a file of synthetic rows, and return it with the domain by which it is read.

    A CSV file of a release may have a mark before texts that a spreadsheet would run as a
    formula; such a file is read with these marks.
    """
    from synth.bundle import guarded_domain, is_guarded

    is_csv = Path(path).suffix.lower() == ".csv"
    is_marked = is_csv and guarded_domain(domain) != domain and is_guarded(path, domain)
    table = open_table(path)
    if table.reading is RowReading.LINES:
        table = open_table(path, Format(lines="span"))  # as a release writes its rows
    return table, guarded_domain(domain) if is_marked else domain


def _bundle(
    options: argparse.Namespace,
    table: PrivateTable,
    result: "Result",
    *,
    protection: Protection,
) -> tuple[Document, list[str]]:
    """Compare a table with the release of a bundle. PRIVATE.

    The options may ask for more: the release's public table, a classifier that is trained on
    synthetic rows, and a report, which is written here.

    Args:
        options: The options of the command line.
        table: The confidential table.
        result: The release.
        protection: It refuses to replace files by the report.

    Returns:
        The errors and their causes, as JSON and as lines of text.

    Raises:
        ArgumentError: The column of ``--target`` cannot be predicted.
    """
    from synth.private.comparison import Findings, compare_tables, internal_report

    findings = Findings(compare_tables(table, result))
    compared = findings.compared
    summary = {"verdict": findings.verdict.document, **summarize(compared.errors)}
    lines = [
        *_verdict_lines(findings.verdict, findings.values),
        *utility_lines(compared.errors),
    ]
    details, detail_lines = _details(findings)
    lines += detail_lines
    if options.public:
        public_summary, public_lines = _compare_public(compared, options.public)
        details["public"] = public_summary
        lines += public_lines
    if options.target:
        details["training"], sentence = _train(findings, options.target)
        lines.append(sentence)
    if options.out:
        page = internal_report(compared).encode()
        path = protection.write_file(
            options.out, lambda part: part.write_bytes(page), private=True
        )
        lines.append(f"  {path}")
    return {**summary, **_tables(compared.errors), **details}, lines


def _train(findings: "Findings", target: str) -> tuple[Document, str]:
    """Train a classifier on synthetic rows, and return its test as JSON and as a sentence.

    Args:
        findings: The comparison.
        target: The column to predict.

    Raises:
        ArgumentError: The column cannot be predicted.
    """
    if target not in findings.targets:
        names = ", ".join(f"'{name}'" for name in findings.targets) or "none"
        raise ArgumentError(f"'{target}' cannot be predicted; these can: {names}.")
    findings.train(target)
    trained = findings.trained[target]
    return asdict(trained), (
        f"'{target}' is predicted right in {trained.synthetic.plain:.1%} of "
        f"{trained.tested:,} real rows by a classifier trained on synthetic rows, "
        f"{trained.real.plain:.1%} if trained on real ones, "
        f"{trained.majority.plain:.1%} by the most frequent value."
    )


def _compare_public(compared: "Compared", path: str) -> tuple[Document, list[str]]:
    """Compare the public guess of a release with the table and the release. PRIVATE.

    Args:
        compared: The comparison of the release with the table.
        path: The file of the public table.

    Returns:
        The comparison as JSON and as lines of text.
    """
    from synth.private.comparison import beside_public
    from synth.spending import read_public

    plan = compared.result.plan
    voucher = plan.public.vouched_by if plan.public else "the steward"
    against_public = beside_public(compared, read_public(path, compared.domain, voucher))
    lines = [against_public.sentence]
    if against_public.warning:
        lines.append(against_public.warning)
    return asdict(against_public), lines


def _tables(comparison: "Comparison") -> Document:
    """Return the error of each column and pair as JSON, with that of a random sample."""
    return {
        "by_table": [
            {"columns": list(names), "error": error, "chance": chance}
            for names, error, chance in comparison.by_table
        ]
    }


def _details(findings: "Findings") -> tuple[Document, list[str]]:
    """Return the causes of a release's error and its effects, as JSON and lines. PRIVATE.

    These are errors by value, parts of the error, numbers, associations, small groups, error
    bars, derived columns, bought scores, and what other repairs of a histogram would give.
    """
    from synth.bundle import write

    details: Document = {
        "by_value": findings.values.document,
        "parts": [{"columns": list(n), **asdict(part)} for n, part in findings.parts.items()],
        "numbers": {name: asdict(part) for name, part in findings.numbers.items()},
        "associations": [
            {"columns": list(n), **asdict(association)}
            for n, association in findings.associations.items()
        ],
        "association_slopes": asdict(findings.slopes),
        "small_groups": [asdict(group) for group in findings.lost_groups],
        "bars": asdict(findings.coverage),
        "scores": write(findings.compared.result.scores),
    }
    repairs, real_errors = findings.repairs
    if repairs:
        details["repairs"] = [
            {
                "repair": str(repair.name),
                "expected_error": repair.error,
                **asdict(real_errors[repair.name]),
            }
            for repair in repairs
        ]
    if findings.derived_columns:
        details["derived"] = [asdict(column) for column in findings.derived_columns]
    lines = _part_lines(findings.parts)
    if findings.slopes.sentence:
        lines.append(findings.slopes.sentence)
    lines += _number_lines(findings.numbers)
    lines += [
        f"Bought score: {percent(score.error)} for epsilon {plain(score.epsilon)}."
        for score in findings.compared.result.scores
    ]
    lines += [
        f"{column.sentence} Off by {percent(column.error)}."
        for column in findings.derived_columns
    ]
    return details, lines


def _part_lines(parts: "dict[Names, Parts]") -> list[str]:
    """Return a sentence on the mean parts of the error of pairs; none without noisy pairs.

    Args:
        parts: From the names of one or two columns to the parts of their error.
    """
    pairs = [
        part for names, part in parts.items() if len(names) == 2 and part.noise is not None
    ]
    if not pairs:
        return []
    left_out = sum(pair.left_out or 0.0 for pair in pairs) / len(pairs)
    noise = sum(pair.noise or 0.0 for pair in pairs) / len(pairs)
    drawing = sum(pair.drawing or 0.0 for pair in pairs) / len(pairs)
    rows = f"{percent(left_out)} by the rows left out of some persons, " if left_out else ""
    return [f"Of pairs: {rows}{percent(noise)} by the noise, {percent(drawing)} by drawing."]


def _number_lines(numbers: "dict[str, NumberParts]") -> list[str]:
    """Return a sentence for each of the columns that their bins distort most.

    Args:
        numbers: From the name of a column to the parts of its error.
    """
    most_cut_first = sorted(numbers.items(), key=lambda item: -item[1].binning)
    return [
        f"Cutting '{name}' into bins moves its cumulative shares by up to "
        f"{percent(part.binning)}."
        for name, part in most_cut_first[:SHOWN_CUTS]
        if part.binning >= VISIBLE_CUT
    ]
