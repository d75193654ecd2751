"""A spend that somebody asks the ledger for. PUBLIC."""

from dataclasses import dataclass

from synth.door.ledger import chain
from synth.privacy import Guarantee, Neighbors
from synth.util import Document


@dataclass(frozen=True, kw_only=True)
class AskedSpend:
    """A spend that somebody asks for.

    Attributes:
        dataset: The dataset's name.
        guarantee: The spend.
        neighbors: Which tables count as neighbours for this guarantee.
        person: The column that identifies the person; empty if each row is a person.
        table: The table's `fingerprint`.
        request: Together with the table, determines the release.
        content: What its line in the ledger says.
        dossier: What a second person sees of it; None if it was not prepared.
    """

    dataset: str
    guarantee: Guarantee
    neighbors: Neighbors
    person: str
    table: str
    request: str
    content: Document
    dossier: Document | None

    @property
    def vouching(self) -> Document:
        """The field that says that it vouches for values from the rows; empty if not."""
        vouches = self.dossier is not None and self.dossier.get("vouches") is True
        return {"vouches": True} if vouches else {}

    @property
    def subject(self) -> Document:
        """Exactly what a second person approves: the line, the request and the vouching."""
        content = {name: value for name, value in self.content.items() if name != "by"}
        return {**content, **self.vouching, "request": chain.digest(self.request)}
