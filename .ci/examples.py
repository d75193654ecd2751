"""Show the examples of docstrings as code on the site: the style of Google wants a
heading.
"""

import re
from textwrap import indent
from typing import Any

from griffe import Extension, Object

EXAMPLE = re.compile(r"^>>> (?:.+\n?)+", re.M)


class Examples(Extension):
    """Put the heading above every example, before the docstring is parsed."""

    def on_object(self, *, obj: Object, **_: Any) -> None:
        if obj.docstring is not None:
            obj.docstring.value = EXAMPLE.sub(
                lambda found: f"Examples:\n{indent(found[0], '    ')}", obj.docstring.value
            )
