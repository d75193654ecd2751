"""``analyse BUNDLE --function FILE.py:name --columns A,B``: a function in the user's file."""

import importlib.util
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

from synth.errors import ArgumentError

BAR_WIDTH = 30


def function_of(text: str) -> Callable[[Any], Any]:
    """Run a file's code and return one of its functions.

    Args:
        text: The path and the name of the function, with a colon between.

    Raises:
        ArgumentError: The function does not exist, or its file fails (with its message and
            line).
    """
    written, _, name = text.rpartition(":")  # a path may contain a colon, a name may not
    path = Path(written)
    if not written or not name.isidentifier():
        raise ArgumentError(f"--function is written FILE.py:name, but it is '{text[:80]}'.")
    if not path.is_file():
        raise ArgumentError(f"There is no file '{written[:80]}'.")
    spec = importlib.util.spec_from_file_location("_of_the_user", path)
    if spec is None or spec.loader is None:
        raise ArgumentError(f"'{path.name}' is no file of Python code (.py).")
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as error:  # noqa: BLE001 - any error of the file is shown
        frames = traceback.extract_tb(error.__traceback__)
        lines_of_file = [frame.lineno for frame in frames if frame.filename == str(path)]
        # A syntax error names its line; other errors have it in their traceback.
        row = getattr(error, "lineno", None) or (lines_of_file or [None])[-1]
        raise ArgumentError(
            f"'{path.name}' fails in row {row}: {type(error).__name__}: {error}"
        ) from None
    attribute = getattr(module, name, None)
    if not callable(attribute):
        raise ArgumentError(f"'{path.name}' defines no function '{name[:80]}'.")
    function: Callable[[Any], Any] = attribute
    return function


def progress_bar(done: int, of: int) -> None:
    """Redraw a bar on the terminal for ``done`` of ``of`` tables, if stderr is a terminal."""
    if not sys.stderr.isatty():
        return
    full = BAR_WIDTH * done // max(1, of)
    bar = "#" * full + "." * (BAR_WIDTH - full)
    sys.stderr.write(f"\r[{bar}] table {done} of {of}" + ("\n" if done == of else ""))
    sys.stderr.flush()
