"""Lay out the pages of the documentation: `python .ci/site.py FOLDER`.

What stands in `docs/` is copied; the reference, the glossary and the notebooks are made from
what the program itself says. MkDocs then makes the site (`make docs`)."""

import argparse
import json
import shutil
import sys
from functools import partial
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

import synth
from synth.cli.main import parser
from synth.util.glossary import GLOSSARY
from synth.util.lazy import homes

DOCS = Path(__file__).parents[1] / "docs"
MARKDOWN = "# %% [markdown]"
CELL = "# %%"


def main(folder: Path) -> None:
    """Lay out all pages in a folder, which is made anew."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(DOCS, folder, ignore=shutil.ignore_patterns("*.py"))
    pages = {
        "reference/python.md": python_page(),
        "reference/command-line.md": command_page(),
        "reference/glossary.md": glossary_page(),
        **notebook_pages(),
    }
    for name, text in pages.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def python_page() -> str:
    """Every public name; mkdocstrings puts in its docstring."""
    found = homes("synth")
    parts = [f"::: {found[name]}.{name}" for name in synth.__all__ if name[0] != "_"]
    head = (
        "# Python\n\n`synth.__all__` lists everything public; `import synth` is all it takes."
    )
    return "\n\n".join([head, *parts]) + "\n"


def command_page() -> str:
    """What the command line itself says, command by command."""
    head = (
        "# The command line\n\n`synth` is `python -m synth`. It exits with 0, or with 2 and "
        "one "
        "sentence."
    )
    parts = [f"## {name}\n\n```text\n{help_of(one)}\n```" for name, one in commands(parser())]
    return "\n\n".join([head, *parts]) + "\n"


def commands(
    top: argparse.ArgumentParser, before: str = ""
) -> list[tuple[str, argparse.ArgumentParser]]:
    """All commands by name, with those that they have themselves behind them."""
    found = []
    for action in top._actions:
        if isinstance(action, argparse._SubParsersAction):
            for name, one in action.choices.items():
                found += [(f"{before}{name}", one), *commands(one, f"{before}{name} ")]
    return found


def help_of(one: argparse.ArgumentParser) -> str:
    """Its help, for 80 columns."""
    one.prog = "synth" + one.prog.partition("synth")[2].removesuffix(".py")
    one.formatter_class = partial(one.formatter_class, width=80)
    return one.format_help().strip()


def glossary_page() -> str:
    """The words, as the app's help icons have them."""
    lines = [f"**{word}**\n:   {said}" for word, said in GLOSSARY.items()]
    return (
        "\n\n".join(
            ["# The words", "They are the same as behind the app's help icons.", *lines]
        )
        + "\n"
    )


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


def as_markdown(kind: str, text: str) -> str:
    """A cell on a page."""
    return text if kind == "markdown" else f"```python\n{text}\n```"


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


def notebook_pages() -> dict[str, str]:
    """Every notebook as a page and as a file to download."""
    found = {}
    for path in sorted((DOCS / "notebooks").glob("*.py")):
        script = path.read_text(encoding="utf-8")
        shown = [
            text if kind == "markdown" else f"```python\n{text}\n```"
            for kind, text in cells(script)
        ]
        shown.append(f"[Download this page as a notebook]({path.stem}.ipynb)")
        found[f"notebooks/{path.stem}.md"] = "\n\n".join(shown) + "\n"
        found[f"notebooks/{path.stem}.ipynb"] = json.dumps(notebook(script), indent=1) + "\n"
    return found


if __name__ == "__main__":
    main(Path(sys.argv[1]))
