"""The notebook of a bundle: its worked examples, to run again. PUBLIC.

It follows nbformat 4 and has no output, so the same release has the same notebook.
"""

from collections.abc import Sequence

from synth.bundle.texts import json_bytes
from synth.foreign import in_code
from synth.util import Document, Json

NOTEBOOK = "how_to_use.ipynb"

_INTRO = """# How to use these files

Three worked examples. With Synth installed, each answer comes with an interval that covers the
noise of the release. Without Synth, the answers come from the synthetic rows only.

{installing}"""  # noqa: E501

_OPEN = """from pathlib import Path
import warnings

import pandas as pd

# The bundle as it was published: the zip file, which this notebook was unpacked from.
BUNDLE = next(iter([*Path(".").glob("*.zip"), *Path("..").glob("*.zip")]), None)

try:
    import synth
except ImportError:
    synth = None

analysis = synth.analyse(BUNDLE) if synth and BUNDLE else None
rows = pd.read_csv("synthetic.csv", dtype=str, keep_default_na=False)
if analysis is None:
    warnings.warn(
        "Synth or the bundle's zip file is not there: the answers below are those of the synthetic "
        "rows alone. They leave out the noise of the release, and have no interval."
    )"""  # noqa: E501


def notebook(examples: Sequence[tuple[str, str]], installing: str) -> bytes:
    """Return the notebook of questions, as the bytes of its file.

    Args:
        examples: Each question, with an expression of ``rows`` in pandas that answers it from
            the synthetic rows alone.
        installing: How to install the version of Synth that made the release.

    >>> b'"nbformat": 4' in notebook([], "")
    True
    """
    cells = [_cell("markdown", _INTRO.format(installing=installing)), _cell("code", _OPEN)]
    for question, code in examples:
        cells.append(_cell("markdown", in_code(question)))
        answer = f"analysis.ask({question!r}).table"
        cells.append(_cell("code", f"{code} if analysis is None else {answer}"))
    content: Document = {
        "cells": [{"id": f"cell-{i}", **cell} for i, cell in enumerate(cells)],
        "metadata": {
            "kernelspec": {
                "display_name": "Python 3",
                "language": "python",
                "name": "python3",
            },
            "language_info": {"name": "python"},
        },
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json_bytes(content)


def _cell(kind: str, text: str) -> Document:
    """Return a cell of a notebook without output.

    Args:
        kind: "markdown" or "code".
        text: The content of the cell.
    """
    lines: list[Json] = list(text.splitlines(keepends=True))
    cell: Document = {"cell_type": kind, "metadata": {}, "source": lines}
    if kind == "code":
        cell |= {"execution_count": None, "outputs": []}
    return cell
