"""private-pgm's ``domain.json``: a number of codes for each column."""

from synth.domain.codebooks.lost import list_losses
from synth.domain.codebooks.pieces import Converted, ForeignDocument, refuse_codebook


def from_pgm(document: ForeignDocument) -> Converted:
    fields = []
    for name, size in document.items():
        if size < 1:
            refuse_codebook(f"Column '{name}' has {size} codes; expected at least 1.")
        bounds = {"minimum": 0, "maximum": size - 1, "required": True}
        fields.append({"name": name, "type": "integer", "synth:bins": size, "constraints": bounds})
    return {"fields": fields}, ["Codes are whole numbers from 0; the file does not explain them."]


def to_pgm(document: ForeignDocument) -> Converted:
    """Return the sizes of the columns, which `write_schema` notes in a finished schema."""
    sizes = {field["name"]: field.get("synth:cells") for field in document["fields"]}
    unknown = [name for name, size in sizes.items() if size is None]
    if unknown:
        refuse_codebook(
            f"Column '{unknown[0]}' is not declared in full, so its cells cannot be counted."
        )
    return sizes, list_losses(document, "pgm")
