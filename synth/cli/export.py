"""``python -m synth export BUNDLE -o FILE``: a release's rows for other programs.

Export with the release (``release --formats csv,sav``), or later from its bundle at no cost.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from synth.bundle import (
    BUNDLED_TABLES,
    CSV,
    FORMATS,
    export,
    formats_named,
    manifest,
)
from synth.cli.commands import progress
from synth.cli.outputs import check_outputs
from synth.cli.plan import offer_options
from synth.cli.saying import print_answer, say, set_run
from synth.errors import ArgumentError, SynthError
from synth.util import Document, FileOutput, FolderOutput, Output, Protection

if TYPE_CHECKING:
    from synth.bundle import FileFormat, Result
    from synth.verification import VerifiedRelease


def define(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``synth export``, and the function that runs."""
    set_run(parser, _export)
    parser.add_argument("bundle", metavar="BUNDLE", help="the zip file or the folder")
    parser.add_argument(
        "--formats",
        metavar="F,F",
        help=f"{', '.join(FORMATS)} (default: what FILE ends with)",
    )
    offer_options(
        parser,
        "out",
        required=True,
        metavar="PATH",
        help="the file of one format, whose name ends with it; or a folder",
    )
    offer_options(parser, "overwrite")


def chosen_output(text: str | None) -> "tuple[tuple[str, ...], tuple[FileFormat, ...]]":
    """Return what the option ``--formats`` names, in two parts.

    Args:
        text: Names of formats with commas between; "both" means csv and parquet. None is the
            default: csv.

    Returns:
        The names of the files in csv and parquet, which every bundle has, at least that in
        csv; and the other formats.

    Raises:
        ArgumentError: A name is not a format.

    >>> tables, formats = chosen_output("csv,sav")
    >>> tables, [kind.title for kind in formats]
    (('synthetic.csv',), ['SPSS'])
    """
    named = CSV.name if text is None else text
    words = [word.strip().lower() for word in named.split(",")]
    others = formats_named([word for word in words if word not in (*BUNDLED_TABLES, "both")])
    table_files = [
        table_format.file
        for name, table_format in BUNDLED_TABLES.items()
        if name in words or "both" in words
    ]
    return tuple(table_files) or (CSV.file,), others


def formats_with_room(
    result: "Result", formats: "Sequence[FileFormat]"
) -> "tuple[FileFormat, ...]":
    """Return the formats that can hold the rows; print the reason for the others to stderr.

    Formats have limits, such as the rows of a sheet. A release that is paid for must not be
    lost because a sheet is too small.
    """
    fitting = []
    for kind in formats:
        try:
            kind.check(result.synthetic.domain, result.synthetic.rows)
            fitting.append(kind)
        except SynthError as error:
            say(f"Not written as {kind.name}: {error}", to=sys.stderr)
    return tuple(fitting)


def _export(options: argparse.Namespace) -> None:
    """Write the rows of a bundle in other formats, and print what these cannot express."""
    from synth.verification import open_bundle

    targets, output = _targets(Path(options.out), options.formats)
    protection = check_outputs(options, *output, inputs=[options.bundle])
    progress("Checking the bundle")
    opened = open_bundle(options.bundle)
    losses = {
        str(path): _write(opened, kind, path, protection=protection)
        for kind, path in targets.items()
    }
    summary: Document = {"files": {path: list(notes) for path, notes in losses.items()}}
    lines: list[str] = []
    for path, notes in losses.items():
        lines.append(path)
        lines += [f"  {note}" for note in notes]
    print_answer(options, summary, lines)


def _targets(
    out: Path, words: str | None
) -> "tuple[dict[FileFormat, Path], tuple[Output, ...]]":
    """Return where each format is written, and all files that the command writes.

    Each file of rows has a file of JSON beside it, which says where the rows come from.

    Args:
        out: A file that ends with the name of the only format; else a folder.
        words: The names of the formats; None for what ``out`` ends with.

    Raises:
        ArgumentError: No format is named.
    """
    if words is None and not out.suffix:
        raise ArgumentError(
            f"Choose the formats of the rows: --formats, one or more of {', '.join(FORMATS)}."
        )
    kinds = formats_named(out.suffix if words is None else words)
    is_file = len(kinds) == 1 and out.suffix.lower() == f".{kinds[0].name}"
    if is_file:
        return {kinds[0]: out}, (FileOutput(out), FileOutput(_manifest_of(out)))
    names: list[str] = []
    for kind in kinds:
        names += [kind.file, _manifest_of(Path(kind.file)).name]
    return {kind: out / kind.file for kind in kinds}, (FolderOutput(out, tuple(names)),)


def _manifest_of(path: Path) -> Path:
    return path.with_name(f"{path.name}.json")


def _write(
    opened: "VerifiedRelease", kind: "FileFormat", path: Path, *, protection: Protection
) -> tuple[str, ...]:
    """Write the rows of a release in a format, with a file that says where they come from.

    Args:
        opened: The release, whose bundle passed all checks.
        kind: The format.
        path: The file of the rows.
        protection: It refuses to replace files.

    Returns:
        One sentence for each thing that the format cannot express.
    """
    progress(f"Writing {path.name}")
    rows = opened.synthetic
    export(rows, kind, path, protection=protection)
    content = manifest(path, kind, rows.domain, certificate=opened.archive.digest)
    protection.write_file(_manifest_of(path), lambda part: part.write_bytes(content))
    return kind.list_losses(rows.domain)
