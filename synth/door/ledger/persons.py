"""Persons of a ledger: their names, and the passphrases by which they are known. PUBLIC.

A dataset, or a whole ledger, may be set to two persons. Then one person asks for each
spend, and another one approves it (`synth.door.ledger.two_persons`). A person signs in at
the server, or types a passphrase. Of a passphrase the ledger stores a salted digest by
scrypt, as a stored value, so that no export holds it.

>>> verifier = make_verifier("four words in row")
>>> is_passphrase("four words in row", verifier), is_passphrase("four words", verifier)
(True, False)
>>> check_person("  Ann   Lee ")
'Ann Lee'
"""

import hashlib
import hmac
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Self, cast

from synth import limits
from synth.door.ledger.chain import WHOLE_LEDGER, Event
from synth.door.ledger.names import standard
from synth.errors import LedgerError
from synth.noise import bits
from synth.util import Document

# Part name of the digests of passphrases, which are stored under the event of the setting.
PASSPHRASES = "passphrases"


@dataclass(frozen=True, kw_only=True)
class PersonsSetting:
    """A dataset, or the whole ledger, that is set to two persons.

    Attributes:
        number: The number of the event that set it.
        time: When it was set, in UTC and ISO 8601.
        dataset: The dataset's name; `WHOLE_LEDGER` for all datasets.
        names: The persons; two of them must agree.
        signed_in: Those among them who sign in at the server, and have no passphrase.
    """

    number: int
    time: str
    dataset: str
    names: tuple[str, ...]
    signed_in: tuple[str, ...] = ()

    @classmethod
    def from_event(cls, event: Event) -> Self:
        """Return the setting that an event of the kind "persons" records."""
        return cls(
            number=event.number,
            time=event.time,
            dataset=event.dataset,
            names=tuple(cast("list[str]", event.content["names"])),
            signed_in=tuple(cast("list[str]", event.content.get("signed_in", []))),
        )

    @property
    def in_words(self) -> str:
        """The dataset or the ledger, as the subject of a sentence."""
        return "The ledger" if self.dataset == WHOLE_LEDGER else f"'{self.dataset}'"

    def others(self, name: str) -> str:
        """Return the persons who may approve what this one asks for, as a list in words."""
        return " or ".join(other for other in self.names if other != name)


def check_person(name: str) -> str:
    """Return a person's name in its standard spelling, with single blanks.

    Raises:
        LedgerError: It is empty, too long, or has characters that cannot be printed.
    """
    spelled = standard(name)
    if not spelled or len(spelled) > limits.PERSON_NAME or not spelled.isprintable():
        raise LedgerError(
            f"The name of a person needs 1 to {limits.PERSON_NAME} printable characters."
        )
    return spelled


def check_persons(names: Collection[str]) -> list[str]:
    """Return the names of the persons in their standard spelling.

    Raises:
        LedgerError: They are fewer than two, or two of them are the same person.
    """
    spelled = [check_person(name) for name in names]
    if len(spelled) < 2:
        raise LedgerError("Two persons need two names at least, such as --names ann,bo.")
    if len(spelled) > limits.PERSONS:
        raise LedgerError(f"At most {limits.PERSONS} persons can be named.")
    if len({name.casefold() for name in spelled}) < len(spelled):
        raise LedgerError(
            "Two of the persons have the same name; each needs a name of their own."
        )
    return spelled


def make_verifier(passphrase: str) -> Document:
    """Return the stored form of a passphrase: a salt, and a digest by scrypt.

    Raises:
        LedgerError: The passphrase is too short or too long.
    """
    if not limits.PASSPHRASE <= len(passphrase) <= limits.PASSPHRASE_MOST:
        raise LedgerError(
            f"A passphrase needs {limits.PASSPHRASE} to {limits.PASSPHRASE_MOST:,} "
            "characters; four words that nobody would guess are a good one."
        )
    salt = bits.bits(16)
    cost = limits.SCRYPT_COST
    return {"salt": salt.hex(), "cost": cost, "digest": _stretch(passphrase, salt, cost)}


def is_passphrase(passphrase: str, verifier: Mapping[str, object]) -> bool:
    """Return whether this is the passphrase whose digest the ledger stores.

    ``verifier`` is what `make_verifier` returned.
    """
    salt = bytes.fromhex(cast("str", verifier["salt"]))
    digest = _stretch(passphrase, salt, cast("int", verifier["cost"]))
    return hmac.compare_digest(digest, cast("str", verifier["digest"]))


def _stretch(passphrase: str, salt: bytes, cost: int) -> str:
    """Return the digest of a passphrase by scrypt, in hexadecimal.

    Args:
        passphrase: The passphrase.
        salt: Random bytes of its own.
        cost: The number n of scrypt, a power of 2: it takes 1,024 n bytes of memory.
    """
    digest = hashlib.scrypt(
        passphrase.encode(), salt=salt, n=cost, r=8, p=1, maxmem=2048 * cost, dklen=32
    )
    return digest.hex()
