"""``replicates BUNDLE --tables 5 --out FOLDER``: tables for multiple imputation."""

import argparse

from synth.bundle import CSV, FORMATS
from synth.cli.commands import progress
from synth.cli.outputs import FOLDER, check_ending, check_outputs
from synth.cli.plan import offer_options
from synth.cli.saying import print_answer, set_run
from synth.util import Document, FolderOutput, check_whole

# Modules that open bundles are imported on use: other commands do not need them.

SHORT_RULE = (
    "Combine estimates by Rubin's rules for missing data (1987). Use the tables for means, "
    "and for shares above twice their noise. Use them for relations only if the release "
    "measured the columns together, without a model. 'synth analyse' has better intervals. "
    "-v prints the rule."
)


def define(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``synth replicates``, and the function that runs."""
    set_run(parser, _run, details=True)
    parser.add_argument(
        "bundle", metavar="BUNDLE", help="the zip file or the folder of a release"
    )
    parser.add_argument(
        "--tables", metavar="M", default="5", help="how many, from 2 to 100 (default: 5)"
    )
    offer_options(
        parser,
        "out",
        required=True,
        metavar="FOLDER",
        help="a folder that is not there yet",
    )
    formats = f"{', '.join([CSV.name, *FORMATS])} (default: csv)"
    parser.add_argument("--formats", default=CSV.name, metavar="F,F", help=formats)


def _run(options: argparse.Namespace) -> None:
    """Make several tables from a bundle, write them, and print how to combine them."""
    from synth.analysis import MIN_TABLES
    from synth.api.replicating import replicates
    from synth.bundle import RULE, replica_formats, warn_unmeasured
    from synth.cli.functions import progress_bar
    from synth.privacy import parse_rational

    replica_formats(options.formats)  # refuses unknown formats before the bundle is checked
    table_count = parse_rational(options.tables, name="--tables")
    check_whole(MIN_TABLES, **{"--tables": table_count})
    check_ending(options.out, [FOLDER])
    tables_folder = FolderOutput(options.out, as_new=True)
    check_outputs(options, tables_folder, inputs=[options.bundle], is_same_again=False)
    progress("Checking the bundle")
    tables = replicates(options.bundle, int(table_count))
    paths = tables.save(options.out, formats=options.formats, progress=progress_bar)
    summary: Document = {
        "files": {name: str(path) for name, path in paths.items()},
        "epsilon": 0,
        "delta": 0,
    }
    lines = [
        f"{len(tables)} tables of {tables.result.synthetic.rows:,} rows, nothing spent: "
        f"{options.out}"
    ]
    if options.verbose:
        lines += [*map(str, paths.values()), RULE]
    else:
        lines.append(SHORT_RULE)
    warning = warn_unmeasured(tables.result.record)
    if warning:
        lines.append(warning)
    print_answer(options, summary, lines)
