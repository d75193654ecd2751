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


def spell_identifiers(one: Identifier, places: Ints, seed: int) -> pa.Array:
    """Return different IDs, whole numbers or texts; null beyond the available ones.

    Args:
        places: Numbers of the rows, from 0 up, shape (rows,).
    """
    missing = places >= one.available
    if not one.slots:
        return numbers(places.astype(np.int64) + 1, missing if missing.any() else None)
    keys = np.frombuffer(
        hashlib.shake_128(f"{seed} {one.name}".encode()).digest(8 * 128), "<u8"
    )
    texts = _spell(one.slots, np.where(missing, 0, places).astype(np.uint64), keys)
    ends = np.arange(len(places) + 1, dtype=np.int32) * len(one.slots)
    valid = pa.py_buffer(np.packbits(~missing, bitorder="little")) if missing.any() else None
    return pa.Array.from_buffers(
        pa.string(), len(places), [valid, pa.py_buffer(ends), pa.py_buffer(texts)]
    )


def _spell(slots: Sequence[str], places: Words, keys: Words) -> npt.NDArray[np.uint8]:
    signs = [np.frombuffer(one.encode(), dtype=np.uint8) for one in slots]
    size, wide = 1, 0
    while wide < len(signs) and size * len(signs[wide]) <= MAX_SHUFFLED:
        size, wide = size * len(signs[wide]), wide + 1
    left = _shuffle(places, size, keys[:ROUNDS])
    found = np.empty((len(places), len(signs)), dtype=np.uint8)
    for place in reversed(range(len(signs))):
        if place >= wide:
            digit = _mix(places ^ keys[ROUNDS + place]) % np.uint64(len(signs[place]))
        else:
            left, digit = np.divmod(left, np.uint64(len(signs[place])))
        found[:, place] = signs[place][digit.astype(np.intp)]
    return found


def _shuffle(places: Words, size: int, keys: Words) -> Words:
    # A Feistel network with cycle walking: Black and Rogaway, Ciphers with Arbitrary Finite
    # Domains (2002). As the seed is public it hides nothing, but random-looking IDs stay
    # different.
    side = np.uint64(math.isqrt(size - 1) + 1)
    found, beyond = places.copy(), np.ones(len(places), dtype=bool)
    while beyond.any():
        high, low = np.divmod(found[beyond], side)
        for key in keys:
            high, low = low, (high + _mix(low ^ key)) % side
        found[beyond] = high * side + low
        beyond &= found >= np.uint64(size)
    return found


def _mix(values: Words) -> Words:
    # SplitMix64 (Steele, Lea and Flood 2014).
    mixed = values + np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return mixed ^ (mixed >> np.uint64(31))
