"""Names that a room offers, imported at first use (PEP 562).

A room's ``__init__`` lists its names under ``TYPE_CHECKING``. Readers and type checkers see
plain imports, and nothing is loaded before it is used.
"""

import re
import sys
from collections.abc import Callable
from functools import cache
from importlib import import_module
from pathlib import Path

OFFERED_NAMES = re.compile(r"^    from ([\w.]+) import (\([^)]*\)|.*)", re.M)


def offer(package: str) -> Callable[[str], object]:
    """Return a ``__getattr__`` for a package that imports a listed name at its first use.

    ``package`` is the package's full name. Its ``__init__`` lists the names as imports under
    ``TYPE_CHECKING``, which run in no program but tell where each name comes from.

    >>> offer("synth")("Domain").__module__
    'synth.domain.domain'
    """

    def find(name: str) -> object:
        """Import a name from its module; AttributeError if the package does not list it."""
        if name not in homes(package):
            raise AttributeError(f"module '{package}' has no attribute '{name}'")
        value: object = getattr(import_module(homes(package)[name]), name)
        return value

    return find


@cache
def homes(package: str) -> dict[str, str]:
    """Return the module that each listed name of a package comes from, by the name.

    It is read from the source of the package's ``__init__``, as those imports never run.
    """
    source = Path(str(sys.modules[package].__file__)).read_text(encoding="utf-8")
    imports = OFFERED_NAMES.findall(source)
    modules: dict[str, str] = {}
    for module, names in imports:
        modules |= dict.fromkeys(re.findall(r"\w+", names), module)
    return modules
