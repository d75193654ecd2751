"""The shape of the house holds: what is added to a list of kinds names them in no new place.

How many lines the house has is no rule. Clear code may take more of them.
"""

import re

from tests.house.rules import ROOT, SYNTH, text_of

PATTERNS = {
    "modules that name a kind of question": (
        r"(?m)^from synth\.questions\.kinds\.(?!registry|kind\b)\w+ import [A-Z]{2}"
    ),
    "modules that name a way to answer": r"\bWayName\.[A-Z]",
    "modules that name a method": r"\bMethod\.[A-Z]",
    "modules that name an output format": (
        r"(?m)^from synth\.bundle\.exports\.(?!export\b|format|registry|tables)\w+ import "
        r"[A-Z]{3}"
    ),
}
MECHANISM = re.compile(
    r"isinstance\([^)]*(Laplace|Gaussian|KNorm|Mechanism|Exponential|Response)"
    r"|case (Discrete|Elliptical|KNorm)\w*\("
)
"""A test of which mechanism it is, where the mechanism could be asked."""

LIMITS = {
    "entries at the top of synth": 27,
    "files at the top of synth": 4,
    "modules that name a kind of question": 2,
    "modules that name a way to answer": 3,
    "modules that name a method": 8,
    "modules that name an output format": 1,
    "type tests on mechanisms": 0,
}


def measure_house() -> dict[str, int]:
    """How many modules or lines each measure counts now."""
    tops = {path.relative_to(ROOT / "synth").parts[0] for path in SYNTH}
    return {
        "entries at the top of synth": len(tops),
        "files at the top of synth": sum(top.endswith(".py") for top in tops),
        "type tests on mechanisms": sum(
            len(MECHANISM.findall(text_of(path))) for path in SYNTH
        ),
    } | {
        measure_name: sum(bool(re.search(pattern, text_of(path))) for path in SYNTH)
        for measure_name, pattern in PATTERNS.items()
    }


def test_no_measure_of_the_house_grows() -> None:
    """No measure of the package is above its limit, such as how many modules name a
    single method.

    A new method, kind of question or format is added to a list, and needs no new such
    module.
    """
    measures = measure_house()
    assert measures.keys() == LIMITS.keys()
    grown = {
        measure_name: number
        for measure_name, number in measures.items()
        if number > LIMITS[measure_name]
    }
    assert grown == {}


def test_what_is_measured_is_seen() -> None:
    """The pattern finds both ways of testing for a mechanism: by `isinstance` and by
    `case`.
    """
    assert (
        len(MECHANISM.findall("isinstance(noise, KNorm | int)\ncase DiscreteLaplace():")) == 2
    )
