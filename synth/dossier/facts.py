"""Figures of a certificate, by their field. PUBLIC."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from typing import cast

from synth.bundle import (
    AnswersCertificate,
    Certificate,
    LinkedCertificate,
)
from synth.dossier.pieces import Content, Figure, Statement, join_figures
from synth.privacy import Neighbors, brief, plain, scientific
from synth.util import Document, Json

# Where the digest of the certificate's own file comes from, which no field can hold.
OWN_DIGEST = "SHA-256 of certificate.json"
# What the sentences of a check come from.
CHECK = "check by synth verify"
# The units of costs, as people write them.
UNITS = {"mu_squared": "mu^2"}

# The fields with exact numbers, which certificates write as texts.
EXACT = frozenset({"epsilon", "delta", "rho", "mu_squared", "scale", "sigma2", "share"})


@dataclass(frozen=True)
class Facts:
    """The facts of a checked bundle.

    Attributes:
        certificate: The certificate.
        digest: The SHA-256 of its file.
        open_claims: Sentences of `verify` about claims that it did not check.
        document: The certificate as JSON.
    """

    certificate: Certificate
    digest: str
    open_claims: tuple[str, ...] = ()
    document: Document = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Write the certificate as JSON."""
        object.__setattr__(self, "document", self.certificate.to_json())

    @property
    def own_digest(self) -> Figure:
        """The SHA-256 of the certificate's file."""
        return Figure(self.digest, OWN_DIGEST)

    @property
    def is_answers(self) -> bool:
        """Whether the bundle holds answers, and no rows."""
        return isinstance(self.certificate, AnswersCertificate)

    @property
    def is_linked(self) -> bool:
        """Whether the bundle holds linked tables."""
        return isinstance(self.certificate, LinkedCertificate)

    @property
    def is_number_public(self) -> bool:
        """Whether the number of rows or of keys is public, and so is not protected."""
        is_replaced = self.certificate.neighbors is Neighbors.REPLACE_ONE
        return is_replaced and (self.is_linked or self.protects_rows)

    @property
    def protects_rows(self) -> bool:
        """Whether the guarantee is for single rows, and not for persons."""
        return self.certificate.privacy_unit == "one row"

    def at(self, place: str) -> Figure:
        """Return the value at a place, such as "guarantee.epsilon" or "payments.0.what".

        Raises:
            KeyError: The certificate has nothing there.
        """
        return Figure(show(self.find(place), _steps_of(place)[-1]), place)

    def find(self, place: str) -> Json:
        """Return the value at a place as JSON.

        Raises:
            KeyError: The certificate has nothing there.
        """
        value: Json = self.document
        for step in _steps_of(place):
            if isinstance(value, list) and step.isdecimal() and int(step) < len(value):
                value = value[int(step)]
            elif isinstance(value, dict) and step in value:
                value = value[step]
            else:
                raise KeyError(place)
        return value

    def has(self, place: str) -> bool:
        """Return whether the certificate has a value at a place that is not null."""
        try:
            return self.find(place) is not None
        except KeyError:
            return False

    def each(self, place: str) -> Iterator[str]:
        """Yield the places of the entries of a list, or of the values of an object."""
        if not self.has(place):
            return
        value = self.find(place)
        keys = value if isinstance(value, dict) else range(len(cast("list[Json]", value)))
        for key in keys:
            yield f"{place}.{str(key).replace('.', _DOT)}"

    def quote(self, topic: str, place: str) -> tuple[Statement, ...]:
        """Return a statement with the value at a place; none if there is no value."""
        return (Statement(topic, (self.at(place),)),) if self.has(place) else ()

    @property
    def cost(self) -> Content:
        """The guarantee in numbers, such as "epsilon 1, delta 1e-9"."""
        content: Content = ("epsilon ", self.at("guarantee.epsilon"))
        if self.certificate.guarantee.delta:
            content += (", delta ", self.at("guarantee.delta"))
        return content

    @property
    def size(self) -> Content:
        """The released tables with their rows, or the answers with their questions."""
        if self.is_answers:
            questions = join_figures([self.at(place) for place in self.each("questions")])
            return ("Answers to questions: ", *questions, ".")
        if not self.is_linked:
            return ("A synthetic table; rows: ", self.at("rows"), ".")
        content: Content = ("Synthetic tables; rows",)
        for place in self.each("rows"):
            name = Figure(_steps_of(place)[-1], "rows")
            content += (" of '", name, "': ", self.at(place), ";")
        return (*content[:-1], ".")

    @property
    def repair(self) -> Figure | None:
        """The repair of negative counts; None where the certificate names none."""
        return self.at("repair") if self.has("repair") else None


# A point in the name of a table or file, within a place.
_DOT = "\N{ONE DOT LEADER}"


def _steps_of(place: str) -> list[str]:
    """Return the steps of a place.

    >>> _steps_of("rows.visits")
    ['rows', 'visits']
    """
    return [step.replace(_DOT, ".") for step in place.split(".")]


def show(value: Json, name: str = "") -> str:
    """Return a value of a certificate as a sheet shows it.

    Short exact numbers stay exact; a cost of many digits is rounded up.

    Args:
        value: The value.
        name: The name of its field, which tells exact numbers from other texts.

    >>> show("1/1000000000", "delta"), show(12345), show({"epsilon": "1/2"}), show(None)
    ('1e-09', '12,345', 'epsilon 0.5', 'not public')
    """
    match value:
        case None:
            return "not public"
        case bool():
            return "yes" if value else "no"
        case int():
            return f"{value:,}"
        case float():
            return f"{value:.3g}"
        case str():
            return _show_exact(value) if name in EXACT and "/" in value else value
        case list():
            return "; ".join(map(show, value))
        case dict():
            parts = [
                f"{UNITS.get(key, key)} {show(part, key)}" for key, part in value.items()
            ]
            return ", ".join(parts)
    return str(value)


def _show_exact(text: str) -> str:
    """Return a fraction of a certificate as a decimal number, if it has one of a few digits.

    >>> _show_exact("1/8"), _show_exact("475330581/655360000")
    ('0.125', 'about 0.7253 (rounded up)')
    """
    number = Fraction(text)
    exact = scientific(number) if number < Fraction(1, 1000) else plain(number)
    is_short = len(exact) <= 12 and "/" not in exact
    return exact if is_short else brief(number, most=5, digits=4)
