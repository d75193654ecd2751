"""IDs of synthetic rows, from the pattern, the row's number and a public seed. PUBLIC.

Whole-number arithmetic lets parts be drawn anywhere, with the same IDs for `verify`.

>>> from synth.domain import Identifier
>>> spell_identifiers(Identifier(pattern="number"), np.arange(2, 4), seed=1).to_pylist()
[3, 4]
"""

import hashlib
import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from synth.domain import Identifier
from synth.rows.values import numbers
from synth.util import Ints

Words = npt.NDArray[np.uint64]

# Most shuffled numbers; further places add signs that may be equal.
MAX_SHUFFLED = 2**60
ROUNDS = 4


def spell_identifiers(identifier: Identifier, places: Ints, seed: int) -> pa.Array:
    """Return different IDs, whole numbers or texts; null beyond the available ones.

    Args:
        identifier: The declared column of IDs, with its pattern.
        places: Numbers of the rows, from 0 up, shape (rows,).
        seed: The public seed, which shuffles IDs of texts.
    """
    missing = places >= identifier.available
    slots = identifier.slots  # the possible signs at each place of an ID
    if not slots:  # plain numbers from 1
        return numbers(places.astype(np.int64) + 1, missing if missing.any() else None)
    # 128 keys of 8 bytes: `ROUNDS` to shuffle, the others for single signs.
    digest = hashlib.shake_128(f"{seed} {identifier.name}".encode()).digest(8 * 128)
    keys = np.frombuffer(digest, "<u8")
    # Rows beyond the available IDs get the text of place 0, which null hides.
    texts = _spell(slots, np.where(missing, 0, places).astype(np.uint64), keys)
    # Every text has one byte for each slot.
    ends = np.arange(len(places) + 1, dtype=np.int32) * len(slots)
    valid = None
    if missing.any():
        valid = pa.py_buffer(np.packbits(~missing, bitorder="little"))
    return pa.Array.from_buffers(
        pa.string(), len(places), [valid, pa.py_buffer(ends), pa.py_buffer(texts)]
    )


def _spell(slots: Sequence[str], places: Words, keys: Words) -> npt.NDArray[np.uint8]:
    """Return the IDs at these places as bytes, shape (rows, slots).

    The first slots, with at most `MAX_SHUFFLED` texts together, hold a shuffled number, so
    that IDs differ. Further slots hold signs that may be equal.

    Args:
        slots: The signs that each position of an ID may have.
        places: Numbers of the rows, shape (rows,).
        keys: Random-looking numbers from the seed, `ROUNDS` of them and one for each slot.
    """
    signs = [np.frombuffer(slot.encode(), dtype=np.uint8) for slot in slots]
    size = 1
    shuffled_slots = 0
    for slot_signs in signs:
        if size * len(slot_signs) > MAX_SHUFFLED:
            break
        size *= len(slot_signs)
        shuffled_slots += 1
    remaining = _shuffle(places, size, keys[:ROUNDS])
    texts = np.empty((len(places), len(signs)), dtype=np.uint8)
    # The digits of the shuffled number, from its last one; each slot has its own base.
    for slot in reversed(range(len(signs))):
        base = np.uint64(len(signs[slot]))
        if slot >= shuffled_slots:
            digit = _mix(places ^ keys[ROUNDS + slot]) % base
        else:
            remaining, digit = np.divmod(remaining, base)
        texts[:, slot] = signs[slot][digit.astype(np.intp)]
    return texts


def _shuffle(places: Words, size: int, keys: Words) -> Words:
    """Return different numbers below `size` for different places below it.

    A Feistel network with cycle walking: Black and Rogaway, Ciphers with Arbitrary Finite
    Domains (2002). As the seed is public it hides nothing, but random-looking IDs stay
    different.

    Args:
        places: Different numbers below ``size``.
        size: How many numbers there are.
        keys: A random-looking number for each round of the network.
    """
    # The network permutes the numbers below side^2, which is at least the size. Results that
    # are too large are permuted again until they are not.
    side = np.uint64(math.isqrt(size - 1) + 1)
    shuffled = places.copy()
    is_beyond = np.ones(len(places), dtype=bool)
    while is_beyond.any():
        high, low = np.divmod(shuffled[is_beyond], side)
        for key in keys:
            high, low = low, (high + _mix(low ^ key)) % side
        shuffled[is_beyond] = high * side + low
        is_beyond &= shuffled >= np.uint64(size)
    return shuffled


def _mix(values: Words) -> Words:
    """Return a random-looking number for each: SplitMix64 (Steele, Lea and Flood 2014)."""
    # Unsigned numbers overflow, as the algorithm wants it.
    mixed = values + np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return mixed ^ (mixed >> np.uint64(31))
