"""The leaves of a certificate, compared with a certificate that was made again. PUBLIC.

A certificate is made again from the other files of its bundle (`synth.verification.remade`).
Each of its leaves must then be equal to the leaf of the bundle's certificate, or belong to a
part that `synth.verification.given` lists. So no statement can be forgotten: one that is
neither made again nor listed refutes the bundle.

>>> sorted(leaves_of({"rows": 3, "ledger": {"entry": 1}, "caveats": []}))
[('caveats',), ('ledger', 'entry'), ('rows',)]
>>> is_inside(("payments", "0", "noisy", "7"), "payments.*.noisy.**")
True
"""

import math
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from synth.util import Document, Json
from synth.verification.files import refuse
from synth.verification.pages import ROUNDING_TOLERANCE, TINY
from synth.verification.verdict import OpenClaim, StewardClaim

LeafPath = tuple[str, ...]

# In a pattern: any one step, and any further steps or none.
_ANY = "*"
_ANY_DEPTH = "**"
# Longest path of a leaf that is shown, as a forger may have named it.
_MAX_SHOWN_LENGTH = 100


@dataclass(frozen=True)
class OpenPart:
    """A part of a certificate that was neither computed again nor compared with the ledger.

    Attributes:
        pattern: The steps from the whole certificate to the part, with points between
            them. ``*`` is any step, and ``**`` at the end any further steps.
        reason: Why it was not checked.
        for_steward: Whether only the steward's ledger can show it.
    """

    pattern: str
    reason: str
    for_steward: bool = field(default=False, kw_only=True)

    @property
    def name(self) -> str:
        """The part as a sentence names it, without the marks for any step."""
        steps = [step for step in self.pattern.split(".") if step not in (_ANY, _ANY_DEPTH)]
        return ".".join(steps)


def leaves_of(content: Json) -> dict[LeafPath, Json]:
    """Return the leaves of a JSON value by their paths; an empty list or object is a leaf."""
    return dict(_walk(content, ()))


def _walk(content: Json, path: LeafPath) -> Iterator[tuple[LeafPath, Json]]:
    """Yield each leaf of a JSON value with its path.

    A leaf is a value without parts: a text, a number, true, false, null, or an empty list or
    object. A path has the names of objects' fields and the numbers of lists' elements.

    Args:
        content: The value.
        path: The path of this part in the whole document.
    """
    inner: Iterable[tuple[str, Json]] = ()
    if isinstance(content, dict):
        inner = content.items()
    elif isinstance(content, list):
        inner = ((str(number), part) for number, part in enumerate(content))
    is_leaf = True
    for step, part in inner:
        is_leaf = False
        yield from _walk(part, (*path, step))
    if is_leaf:
        yield path, content


def is_inside(path: LeafPath, pattern: str) -> bool:
    """Return whether a leaf lies in the part of a certificate that a pattern describes.

    Args:
        path: The steps to the leaf: names of fields, and numbers of list elements as texts.
        pattern: Such steps with points between them; ``*`` is any step, and ``**`` at the end
            any further steps or none.
    """
    steps = pattern.split(".")
    if steps[-1] == _ANY_DEPTH:
        # Only the steps before the ** are compared.
        steps = steps[:-1]
        path = path[: len(steps)]
    if len(path) != len(steps):
        return False
    return all(step in (_ANY, name) for step, name in zip(steps, path, strict=True))


def compare_leaves(
    signed: Document,
    again: Document,
    given_parts: Collection[OpenPart],
    *,
    name: str = "certificate",
) -> tuple[OpenPart, ...]:
    """Compare a certificate with the one made again; return the open parts that it has.

    Args:
        signed: The certificate of the bundle, as JSON.
        again: The one made again from the other files.
        given_parts: The parts that were not made again; their leaves may differ.
        name: The compared document in words, for sentences.

    Returns:
        The given parts of which the bundle's certificate has a leaf other than null, in the
        order of ``given_parts``.

    Raises:
        RefutedError: A leaf is another one, is missing, or is one that Synth does not write.
    """
    ours = leaves_of(again)
    theirs = leaves_of(signed)
    open_parts = set[OpenPart]()
    missing = [path for path in ours if path not in theirs]
    for path in (*theirs, *missing):
        part = next(
            (candidate for candidate in given_parts if is_inside(path, candidate.pattern)),
            None,
        )
        if part is None:
            _compare_leaf(path, theirs, ours, name=name)
        elif theirs.get(path) is not None:
            open_parts.add(part)
    return tuple(part for part in given_parts if part in open_parts)


def _compare_leaf(
    path: LeafPath,
    theirs: Mapping[LeafPath, Json],
    ours: Mapping[LeafPath, Json],
    *,
    name: str,
) -> None:
    """Refuse a leaf that only one certificate has, or that differs.

    Args:
        path: The path of the leaf.
        theirs: The leaves of the bundle's certificate, by path.
        ours: The leaves of the certificate made again, by path.
        name: The compared document in words.
    """
    leaf = ".".join(path)[:_MAX_SHOWN_LENGTH]
    if path not in ours:
        refuse(f"The {name} says '{leaf}', which Synth does not say there.")
    if path not in theirs:
        refuse(f"The {name} does not say '{leaf}'.")
    if not _is_same(theirs[path], ours[path]):
        refuse(f"What the {name} says as '{leaf}' does not follow from the other files.")


def describe_open(parts: Iterable[OpenPart]) -> list[OpenClaim]:
    """Return a sentence for each reason why parts of a certificate were not checked.

    It names all parts that have this reason.
    """
    by_reason: dict[tuple[str, type[OpenClaim]], list[str]] = {}
    for part in parts:
        claim_of = StewardClaim if part.for_steward else OpenClaim
        by_reason.setdefault((part.reason, claim_of), []).append(f"'{part.name}'")
    return [
        claim_of(f"Of the certificate, {_join(names)}: {reason}")
        for (reason, claim_of), names in by_reason.items()
    ]


def _join(names: list[str]) -> str:
    """Return names joined by commas and "and", each once."""
    unique = list(dict.fromkeys(names))
    return unique[0] if len(unique) == 1 else f"{', '.join(unique[:-1])} and {unique[-1]}"


def _is_same(signed: Json, again: Json) -> bool:
    """Return whether two values of certificates are equal, floats nearly so.

    Floats may differ by `ROUNDING_TOLERANCE` (1e-9, relatively) or `TINY` (1e-12), as
    processors round differently. All other values must be equal exactly, and of the same
    type.
    """
    # Python counts True as the number 1, and JSON does not.
    if isinstance(signed, bool) or isinstance(again, bool):
        return signed is again
    match signed, again:
        case (int(), int()):
            return signed == again
        case ((int() | float()), (int() | float())):
            return math.isclose(signed, again, rel_tol=ROUNDING_TOLERANCE, abs_tol=TINY)
    return type(signed) is type(again) and signed == again
