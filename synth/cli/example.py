"""``synth example``: a made-up survey, or linked tables, for trying everything."""

import argparse

from synth.cli.outputs import FOLDER, check_ending
from synth.cli.plan import offer_options
from synth.cli.saying import print_answer, set_run
from synth.lessons import write_example, write_linked_example


def define(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``synth example``, and the function that runs."""
    set_run(parser, _example)
    offer_options(
        parser, "out", required=True, metavar="FOLDER", help="the folder for the files"
    )
    parser.add_argument(
        "--linked",
        action="store_true",
        help="two linked tables, patients and visits, instead of the survey",
    )
    offer_options(parser, "overwrite")


def _example(options: argparse.Namespace) -> None:
    check_ending(options.out, [FOLDER])
    write = write_linked_example if options.linked else write_example
    paths = [*map(str, write(options.out, overwrite=options.overwrite))]
    print_answer(options, {"files": paths}, [f"  {path}" for path in paths])
