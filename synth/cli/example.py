"""``synth example``: a made-up survey for trying everything."""

import argparse

from synth.bundle import prepare
from synth.cli.saying import print_answer, set_run
from synth.lessons import write_example


def define(parser: argparse.ArgumentParser) -> None:
    set_run(parser, _example)
    parser.add_argument("--out", required=True, metavar="DIR", help="folder for the files")


def _example(options: argparse.Namespace) -> None:
    paths = write_example(prepare(options.out))
    print_answer(options, {"files": [str(p) for p in paths]}, [f"  {path}" for path in paths])
