"""The files that a command writes, compared with its inputs before it does anything."""

import argparse
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from synth.errors import ArgumentError
from synth.private.table import is_address
from synth.util import (
    FileOutput,
    FolderOutput,
    Output,
    Protection,
    describe_there,
    refuse_replacing,
    refuse_shared_ledger,
)

# What the ending of an output's name says: a folder has none.
FOLDER = ""
ZIP = ".zip"
ROWS = ".csv"
_KINDS = {
    FOLDER: "a folder (no ending)",
    ZIP: "one bundle (.zip)",
    ROWS: "rows with the certificate next to them (.csv)",
}
# What `synth release` can write: of one table, and of linked tables.
RELEASE_ENDINGS = (FOLDER, ZIP, ROWS)
LINKED_ENDINGS = (FOLDER, ZIP)
# The options and arguments of all commands that may name a file to be read.
INPUT_OPTIONS = (
    "table",
    "synthetic",
    "domain",
    "plan",
    "rules",
    "candidates",
    "questions",
    "request",
    "public",
    "release",
    "check",
    "file",
    "files",
    "form",
    "shares",
)


def check_ending(name: str, endings: Sequence[str]) -> str:
    """Return what the ending of an output's name says: one of ``endings``, in small letters.

    A name that ends with a slash, and one of a folder that is there, is that of a folder.

    Args:
        name: The file or folder as it was typed.
        endings: What the command can write: of `FOLDER`, `ZIP` and `ROWS`.

    Raises:
        ArgumentError: The command writes nothing of this ending.
    """
    ending = FOLDER if name.endswith(("/", os.sep)) else Path(name).suffix.lower()
    if ending in endings:
        return ending
    if FOLDER in endings and (ending.strip(".").isdecimal() or Path(name).is_dir()):
        return FOLDER
    *others, last = [_KINDS[kind] for kind in endings]
    choices = f"{', '.join(others)} or {last}" if others else last
    has = f"ends with {ending}" if ending else "has no ending"
    raise ArgumentError(f"'{name}' {has}, but the command can only write {choices}.")


def list_named(paths: Mapping[str, str], names: tuple[str, ...]) -> list[Output]:
    """Return the folder and the files that are named by their endings.

    Args:
        paths: The paths by their endings, from `outputs_by_ending`.
        names: The files that are written into the folder.
    """
    return [
        FolderOutput(path, names) if ending == FOLDER else FileOutput(path)
        for ending, path in paths.items()
    ]


def outputs_by_ending(names: Sequence[str] | None, endings: Sequence[str]) -> dict[str, str]:
    """Return the outputs of ``--out``, which may be given several times, by their endings.

    Args:
        names: The files and folders as they were typed; None for none.
        endings: What the command can write: of `FOLDER`, `ZIP` and `ROWS`.

    Raises:
        ArgumentError: The command writes nothing of an ending, or an ending comes twice.
    """
    outputs: dict[str, str] = {}
    for name in names or ():
        ending = check_ending(name, endings)
        if ending in outputs:
            raise ArgumentError(
                f"--out names two outputs of one kind: {_KINDS[ending]}; leave one."
            )
        outputs[ending] = name
    return outputs


def inputs_of(options: argparse.Namespace) -> list[Path]:
    """Return the files and folders that the options name to be read, but for the ledger."""
    paths: list[Path] = []
    for name in INPUT_OPTIONS:
        value = getattr(options, name, None)
        words = value if isinstance(value, list) else [value]
        paths += [Path(word) for word in words if word and not is_address(word)]
    return paths


def check_outputs(
    options: argparse.Namespace,
    *outputs: Output,
    inputs: Iterable[str | Path] = (),
    is_same_again: bool = True,
) -> Protection:
    """Refuse outputs that must not or cannot be written, before anything is read or spent.

    A command with a ledger may find a file there that holds what was paid for before. Then
    the ledger, once opened (`repeats_only`), refuses to pay for anything else.

    Args:
        options: The options of the command line.
        outputs: The files and folders that the command writes.
        inputs: Files and folders that are read, in addition to those of `INPUT_OPTIONS`.
        is_same_again: Whether the same command writes the same bytes again, if nothing is
            spent.

    Returns:
        The protection to write them with.

    Raises:
        ReleaseError: An output cannot be written; one sentence says why, about the first such
            output.
    """
    input_paths = [*inputs_of(options), *map(Path, inputs)]
    ledger = getattr(options, "ledger", None)
    refuse_shared_ledger(ledger, input_paths)
    protected_paths = (*input_paths, Path(ledger)) if ledger else (*input_paths,)
    protection = Protection(protected_paths, getattr(options, "overwrite", False))
    there = protection.check(*outputs)
    if there and not is_same_again:
        refuse_replacing(there[0])
    options.sentence_of_files_there = describe_there(there[0]) if there else ""
    return protection


def check_paid_outputs(
    options: argparse.Namespace, *outputs: Output, inputs: Iterable[str | Path] = ()
) -> Protection:
    """Refuse outputs of a command that spends, before anything is read or spent.

    Only with a ledger can a file that is there hold the result of the same paid command.

    Args:
        options: The options of the command line.
        outputs: The files and folders that the command writes.
        inputs: Files and folders that are read, in addition to those of `INPUT_OPTIONS`.

    Returns:
        The protection to write them with.

    Raises:
        ReleaseError: An output cannot be written; one sentence says why, about the first such
            output.
    """
    has_ledger = options.ledger is not None and Path(options.ledger).exists()
    return check_outputs(options, *outputs, inputs=inputs, is_same_again=has_ledger)
