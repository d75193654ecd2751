"""``python -m synth dossier BUNDLE -o DIR``: sheets for the people who must sign."""

import argparse
from pathlib import Path

from synth.cli.commands import progress
from synth.cli.outputs import FOLDER, check_ending, check_outputs
from synth.cli.plan import offer_options
from synth.cli.saying import print_answer, set_run
from synth.door import Ledger
from synth.util import Document

HOW_TO_ANSWER = (
    "Type the answers into {}, and make the dossier again with --overwrite. They never go "
    "into the certificate."
)


def define(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``synth dossier``, and the function that runs."""
    set_run(parser, _write)
    parser.add_argument(
        "bundle", metavar="BUNDLE", help="the zip file or the folder of a release or answers"
    )
    offer_options(
        parser, "out", required=True, metavar="DIR", help="the folder of the dossier"
    )
    offer_options(parser, "overwrite")
    parser.add_argument(
        "--answers",
        metavar="FILE",
        help="answers of your organisation (default: answers.json in DIR, if it is there)",
    )
    parser.add_argument(
        "--ledger",
        metavar="FILE",
        help="the ledger that should record it; by default this machine's, if it has one",
    )
    parser.add_argument(
        "--quick",
        action="store_true",
        help="do not draw the rows of a model again; the sheets say so",
    )


def _write(options: argparse.Namespace) -> None:
    """Check the bundle, write its dossier, and print what stayed open."""
    from synth.dossier import (
        ANSWERS_FILE,
        load_typed_answers,
        make_dossier,
        name_outputs,
    )
    from synth.verification import verify

    check_ending(options.out, [FOLDER])
    folder = Path(options.out)
    beside = folder / ANSWERS_FILE
    source = Path(options.answers) if options.answers else beside
    is_typed = bool(options.answers) or source.exists()
    output = name_outputs(folder, source if is_typed else None)
    inputs = [options.bundle]
    if is_typed:
        inputs.append(source)
    protection = check_outputs(options, output, inputs=inputs)
    typed = load_typed_answers(source) if is_typed else None
    ledger = None if options.ledger is None else Ledger(options.ledger, readonly=True)
    progress("Checking the bundle")
    verified = verify(options.bundle, ledger, redraw=not options.quick, or_own=True)
    dossier = make_dossier(verified, typed)
    progress("Writing the dossier")
    paths = dossier.write(folder, protection, names=output.names)
    questions = dossier.open_questions
    summary: Document = {
        "files": [str(path) for path in paths],
        "open": {question.key: question.text for question in questions},
    }
    lines = [str(path) for path in paths]
    if questions:
        place = beside if ANSWERS_FILE in output.names else source
        lines += [
            f"Open questions, which only your organisation can answer: {len(questions)}",
            HOW_TO_ANSWER.format(place),
        ]
    print_answer(options, summary, lines)
