"""Lay out the pages of the documentation: `python .ci/site.py FOLDER`.

What stands in `docs/` is copied; the reference and the glossary are made from what the
program itself says, in place of the short pages that a code host shows, and pages of the
notebooks from their files. MkDocs then makes the site (`make docs`)."""

import argparse
import json
import re
import shutil
import sys
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.append(str(Path(__file__).parent))

from notebooks import output_text

import synth
from synth.cli.main import parser
from synth.util.glossary import GLOSSARY
from synth.util.lazy import homes

DOCS = Path(__file__).parents[1] / "docs"
SCHEMAS = "synth/bundle/schemas"


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
    schemas = folder / "reference" / "schemas"
    shutil.copytree(DOCS.parent / SCHEMAS, schemas, ignore=shutil.ignore_patterns("*.txt"))
    lead_to_pages(folder)


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


def as_markdown(kind: str, text: str) -> str:
    """A cell on a page."""
    return text if kind == "markdown" else f"```python\n{text}\n```"


def notebook_pages() -> dict[str, str]:
    """Every notebook as a page with its outputs; the file itself is copied."""
    found = {}
    for path in sorted((DOCS / "notebooks").glob("*.ipynb")):
        shown = []
        for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
            shown.append(as_markdown(cell["cell_type"], "".join(cell["source"])))
            if output := output_text(cell):
                shown.append(f"```text\n{output}\n```")
        shown.append(f"[Download this page as a notebook]({path.name})")
        found[f"notebooks/{path.stem}.md"] = "\n\n".join(shown) + "\n"
    return found


def lead_to_pages(folder: Path) -> None:
    """Let links to notebooks lead to their pages, and links to schemas to their copies: on a
    code host they lead to the files.
    """
    for path in folder.rglob("*.md"):
        text = path.read_text(encoding="utf-8")
        led = re.sub(r"(\]\((?:[\w/.]*/)?notebooks/[\w-]+)\.ipynb\)", r"\1.md)", text)
        led = led.replace(f"](../../{SCHEMAS}/", "](schemas/")
        path.write_text(led, encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
