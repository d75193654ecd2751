"""Run the notebooks of the documentation, and keep them with their outputs: `make notebooks`.

A notebook is written as a script, `docs/notebooks/NAME.py`, whose cells begin with `# %%`.
This runs its cells one after the other in an empty folder with a ledger of its own, as
Jupyter would, and writes `NAME.ipynb` beside it. Noise is drawn anew each time, so the
outputs differ."""

import ast
import contextlib
import io
import json
import os
import sys
import tempfile
import warnings
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
NOTEBOOKS = ROOT / "docs" / "notebooks"
CELL = "# %%"


def cells(script: str) -> list[tuple[str, str]]:
    """The kind and the text of each cell of a script: `markdown` or `code`."""
    found = []
    for part in script.split(CELL)[1:]:
        first, _, rest = part.partition("\n")
        if "[markdown]" in first:
            lines = (
                line.removeprefix("#").removeprefix(" ") for line in rest.strip().splitlines()
            )
            found.append(("markdown", "\n".join(lines)))
        else:
            found.append(("code", rest.strip()))
    return found


def notebook(script: str) -> dict[str, Any]:
    """A script as a Jupyter notebook (nbformat 4.5), with nothing run."""
    listed = []
    for number, (kind, text) in enumerate(cells(script)):
        cell: dict[str, Any] = {"cell_type": kind, "id": f"cell-{number}", "metadata": {}}
        cell["source"] = text.splitlines(keepends=True)
        listed.append(
            cell | ({"execution_count": None, "outputs": []} if kind == "code" else {})
        )
    language = {"language_info": {"name": "python"}}
    return {"nbformat": 4, "nbformat_minor": 5, "metadata": language, "cells": listed}


def run_notebook(script: str) -> dict[str, Any]:
    """A script as a notebook whose cells were run in the current folder."""
    made, names = notebook(script), {"__name__": "__main__"}
    code_cells = [cell for cell in made["cells"] if cell["cell_type"] == "code"]
    for number, cell in enumerate(code_cells, start=1):
        cell["execution_count"] = number
        cell["outputs"] = run_cell("".join(cell["source"]), names, number)
    return made


def run_cell(code: str, names: dict[str, Any], number: int) -> list[dict[str, Any]]:
    """The outputs of a cell: what it warns of, what it prints, and the value of its last
    line.
    """
    tree, value = ast.parse(code), None
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    with (
        contextlib.redirect_stdout(io.StringIO()) as printed,
        warnings.catch_warnings(record=True) as warned,
    ):
        warnings.simplefilter("always", UserWarning)
        exec(compile(tree, "cell", "exec"), names)
        if last is not None:
            value = eval(compile(ast.Expression(last.value), "cell", "eval"), names)
    notes = "".join(f"{note.category.__name__}: {note.message}\n" for note in warned)
    outputs = [
        {"output_type": "stream", "name": name, "text": text.splitlines(keepends=True)}
        for name, text in (("stderr", notes), ("stdout", printed.getvalue()))
        if text
    ]
    return outputs + ([] if value is None else [shown(value, number)])


def shown(value: Any, number: int) -> dict[str, Any]:
    """The value of a cell's last line, as text, and as HTML if it has such a form."""
    data = {"text/plain": repr(value).splitlines(keepends=True)}
    html = getattr(value, "_repr_html_", lambda: None)()
    if html:
        data["text/html"] = html.splitlines(keepends=True)
    return {
        "output_type": "execute_result",
        "execution_count": number,
        "metadata": {},
        "data": data,
    }


def output_text(cell: dict[str, Any]) -> str:
    """What a cell that was run shows, as plain text."""
    parts = [
        output.get("text") or output.get("data", {}).get("text/plain", [])
        for output in cell.get("outputs", [])
    ]
    return "\n".join("".join(part).rstrip("\n") for part in parts)


def main() -> None:
    """Run every notebook, each in a folder of its own."""
    for path in sorted(NOTEBOOKS.glob("*.py")):
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            os.environ["SYNTH_HOME"] = str(Path(folder) / "home")
            made = run_notebook(path.read_text(encoding="utf-8"))
        text = json.dumps(made, indent=1, ensure_ascii=False) + "\n"
        path.with_suffix(".ipynb").write_text(text, encoding="utf-8")
        print(path.with_suffix(".ipynb").name)


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    main()
