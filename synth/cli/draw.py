"""``draw BUNDLE --rows N``: rows of a release, under a condition or with set shares."""

import argparse

from synth.cli.commands import progress
from synth.cli.dummy import add_options, check_drawn, rows_from, shares_from, write_drawn
from synth.cli.saying import set_run


def define(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``synth draw``, and the function that runs."""
    set_run(parser, _run)
    parser.add_argument(
        "bundle", metavar="BUNDLE", help="the zip file or the folder of a release"
    )
    parser.add_argument(
        "--where", default="", metavar="TEXT", help="a condition, such as 'region = north'"
    )
    add_options(parser, "set_shares.zip")


def _run(options: argparse.Namespace) -> None:
    """Draw rows of a bundle again, write them, and print their path."""
    from synth.api.drawing import draw

    protection = check_drawn(options, options.bundle)
    rows = rows_from(options.rows)
    shares = shares_from(options.shares)
    progress("Checking the bundle")
    table = draw(options.bundle, rows, options.where, shares=shares)
    write_drawn(options, table.drawn, protection)
