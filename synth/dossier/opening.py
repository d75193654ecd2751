"""Parts that several sheets have: the release, conditions and payments. PUBLIC."""

from collections.abc import Iterator

from synth.dossier.facts import CHECK, Facts
from synth.dossier.pieces import Content, Figure, Paragraph, Part, Section, Statement
from synth.dossier.questions import ask

# Most entries of a list that a sheet shows; the certificate has the others.
MOST_ENTRIES = 30
THE_REST = Paragraph(("The certificate lists the others.",))


def open_sheet(facts: Facts) -> Section:
    """Return the first section of a sheet: the release, and the check of its bundle."""
    parts: list[Part] = [
        Statement("Release", facts.size),
        Statement("Name in the ledger", (facts.at("dataset"),)),
        *facts.quote("Made, in UTC", "created"),
        Statement("Cost", facts.cost),
        Statement("Certificate", (facts.own_digest,)),
        Statement("Check", say_check(facts)),
        *ask("organisation", "responsible_person"),
    ]
    return Section("The release", tuple(parts))


def say_check(facts: Facts) -> Content:
    """Return the result of the check, with everything that stayed open."""
    refuted: Content = (
        "Synth checked the bundle before it wrote this sheet, and refuted nothing.",
    )
    if not facts.open_claims:
        return refuted
    claims = [(" ", Figure(claim, CHECK)) for claim in facts.open_claims]
    return (
        *refuted,
        " It did not check everything:",
        *(piece for two in claims for piece in two),
    )


def list_conditions(facts: Facts) -> tuple[Part, ...]:
    """Return the promise and all its conditions, each as the certificate says it."""
    conditions = (
        Statement("Condition", (facts.at(place),)) for place in facts.each("caveats")
    )
    return (Statement("Promise", (facts.at("guarantee.statement"),)), *conditions)


def list_payments(facts: Facts) -> tuple[Part, ...]:
    """Return the measurements, each with its noise and its cost."""
    parts: list[Part] = []
    for place in _list_payment_places(facts):
        if len(parts) == MOST_ENTRIES:
            return (*parts, THE_REST)
        parts.append(Statement("Measurement", tuple(_describe_payment(facts, place))))
    return tuple(parts)


def list_preparations(facts: Facts) -> tuple[Part, ...]:
    """Return the payments for the declaration before the release."""
    return tuple(
        Statement(
            "Paid before the release",
            (facts.at(f"{place}.kind"), " for ", facts.at(f"{place}.guarantee")),
        )
        for place in facts.each("declaration.preparations")
    )


def list_declaration(facts: Facts) -> tuple[Part, ...]:
    """Return where the possible values of the columns come from, and who saw the rows."""
    looked: tuple[Part, ...] = ()
    if facts.has("declaration.looked"):
        looked = (
            Statement(
                "The steward saw exact numbers of rows that fit",
                (facts.at("declaration.looked"),),
            ),
            Statement(
                "The steward vouches that values taken from the rows are public",
                (facts.at("declaration.taken_is_public"),),
            ),
        )
    return (
        Statement("Possible values of the columns", (facts.at("domain_origin"),)),
        *looked,
        *list_preparations(facts),
    )


def list_left_out(facts: Facts) -> tuple[Part, ...]:
    """Return the columns that are left out or lose values, with the reason."""
    topics = {"left_out": "Column left out", "agreed": "Column that loses values"}
    return tuple(
        Statement(topic, (facts.at(f"{place}.column"), ": ", facts.at(f"{place}.decision")))
        for name, topic in topics.items()
        for place in facts.each(f"declaration.{name}")
    )


def list_identifiers(facts: Facts) -> tuple[Part, ...]:
    """Return the columns of unique IDs, which are drawn from a pattern."""
    return tuple(
        Statement(
            "Column of unique IDs",
            (
                facts.at(f"{place}.column"),
                ": made up from the pattern ",
                facts.at(f"{place}.pattern"),
                ". No real key was read; an ID that equals one reveals nothing about it.",
            ),
        )
        for place in facts.each("identifiers")
    )


def _list_payment_places(facts: Facts) -> Iterator[str]:
    """Yield the places of all measurements, in order."""
    if facts.is_answers:
        yield from facts.each("portions")
    elif facts.is_linked:
        yield from facts.each("payments")
    else:
        if facts.has("mechanism.scale"):
            yield "mechanism"
        for name in ("marginals", "moments"):
            yield from facts.each(f"mechanism.{name}")


def _describe_payment(facts: Facts, place: str) -> Iterator[str | Figure]:
    """Yield the pieces of a sentence about a measurement."""
    if place == "mechanism":  # a histogram, whose cost is that of the release
        yield facts.at("mechanism.name")
        yield "; cells: "
        yield facts.at("mechanism.cells")
        yield "; sensitivity: "
        yield facts.at("mechanism.sensitivity")
        yield "; scale of the noise: "
        yield facts.at("mechanism.scale")
        return
    name = "way" if facts.is_answers else "what"
    yield facts.at(f"{place}.{name}")
    if facts.is_answers:
        yield ", for question "
        yield facts.at(f"{place}.questions")
    for field, words in {"cost": "; cost: ", "noise": "; noise: "}.items():
        if facts.has(f"{place}.{field}"):
            yield words
            yield facts.at(f"{place}.{field}")
