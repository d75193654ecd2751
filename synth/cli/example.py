"""``synth example``: a made-up survey for trying everything."""

import argparse

from synth.cli.plan import offer_options
from synth.cli.saying import print_answer, set_run
from synth.lessons import write_example


def define(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``synth example``, and the function that runs."""
    set_run(parser, _example)
    parser.add_argument("--out", required=True, metavar="DIR", help="folder for the files")
    offer_options(parser, "overwrite")


def _example(options: argparse.Namespace) -> None:
    paths = [*map(str, write_example(options.out, overwrite=options.overwrite))]
    print_answer(options, {"files": paths}, [f"  {path}" for path in paths])
