"""Numbers of dossiers, traced to the certificate without the package. No test is in here."""

import json
import re
from fractions import Fraction
from html.parser import HTMLParser
from typing import Any

NUMBER = re.compile(r"[0-9][0-9,]*(?:\.[0-9]+)?(?:/[0-9]+)?(?:e-?[0-9]+)?")
RATIONAL = re.compile(r"[0-9]+/[0-9]+")
# The marks of what is of the certificate, of guidance, or typed, and the column of sources.
MARKED = {"figure", "citation", "typed", "field"}
VOID = {"meta", "br"}


def leaves(value: Any) -> list[Any]:
    """All single values of JSON, and the names of objects."""
    if isinstance(value, dict):
        return [*value, *(leaf for part in value.values() for leaf in leaves(part))]
    if isinstance(value, list):
        return [leaf for part in value for leaf in leaves(part)]
    return [value]


def is_in(number: str, value: Any) -> bool:
    """Whether a number, as shown, is in some JSON: as it is, exactly, or rounded."""
    plain = number.replace(",", "").rstrip(".")
    for leaf in leaves(value):
        text = json.dumps(leaf)  # a mark of direction as its number, as pages show it
        if plain in NUMBER.findall(text) or number in NUMBER.findall(text):
            return True
        exact = _exact(leaf)
        if exact is not None and _rounds_to(plain, exact):
            return True
    return False


def _exact(leaf: Any) -> Fraction | None:
    """The number that a leaf is; None for other leaves."""
    if isinstance(leaf, float):
        return Fraction(str(leaf))
    if isinstance(leaf, str) and RATIONAL.fullmatch(leaf):
        return Fraction(leaf)
    return None


def _rounds_to(shown: str, exact: Fraction) -> bool:
    """Whether a number is another one, rounded by less than its last digit."""
    if "/" in shown:
        return Fraction(shown) == exact
    mantissa, _, power = shown.partition("e")
    decimals = len(mantissa.partition(".")[2])
    step = Fraction(10) ** (int(power or 0) - decimals)
    if decimals == 0 and not power:  # such as 15540 for 15,537
        step *= 10 ** (len(mantissa) - len(mantissa.rstrip("0")))
    return abs(Fraction(shown) - exact) <= step


class MarkedText(HTMLParser):
    """The text of a page, by what it is marked as."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[tuple[str, str]] = []
        self.texts: list[tuple[str, str]] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in VOID:
            self.open.append((tag, dict(attrs).get("class") or ""))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop()[0] == tag

    def handle_data(self, data: str) -> None:
        if any(tag in ("style", "title") for tag, _ in self.open):
            return
        marks = [name for _, name in self.open if name in MARKED]
        self.texts.append((marks[-1] if marks else "", data))

    def of(self, mark: str) -> list[str]:
        """The texts that are marked so; "" for those without a mark."""
        return [text for name, text in self.texts if name == mark]


def list_untraced(page: str, certificate: Any, others: tuple[str, ...]) -> list[str]:
    """The numbers on a page that are not in the certificate.

    Args:
        page: The page.
        certificate: The certificate as JSON.
        others: Texts that are not of the certificate: its digest, sentences of a check.
    """
    text = MarkedText(page)
    unmarked = [number for part in text.of("") for number in NUMBER.findall(part)]
    figures = [part for part in text.of("figure") if part not in others]
    figures_of = [
        number
        for part in figures
        for number in NUMBER.findall(part)
        if not is_in(number, certificate)
    ]
    return unmarked + figures_of
