"""How algorithm 1 chose and split, so that releases it finished are repeated as they were. PUBLIC.

A finished release is asked for again query by query (`synth.ledger.parts`), and parts that do not
tell their noise are read by the noise that algorithm 1 gave them. Nothing new is spent like this:
see `synth.models.choosing` and `synth.models.splitting`.
"""

from collections.abc import Sequence

from synth.models.allocation import Account
from synth.models.choosing import (
    SELECTION,
    SIZING,
    histogram_is_small,
    histogram_outweighs,
    quietest_for_columns,
)
from synth.models.names import Strategy

LOUD = 0.1
"""Noise of the distances, in total variation, above which pairs were not measured."""


def chosen_earlier(
    account: Account,
    pure: Account | None,
    shape: Sequence[int],
    *,
    pairs: int,
    rows: float,
    rows_are_public: bool,
    most_cells: int,
) -> tuple[Strategy, Account]:
    """What `synth.models.choosing.choose` was: by a fixed loudness."""
    quietest = quietest_for_columns(account, pure, shape) if pure else account
    most = LOUD if quietest is account else LOUD / 2
    noise = account.distance_error(account.total * SELECTION, pairs, rows) if pairs else 0.0
    telling = pairs > 0 and noise <= most
    if pure and len(shape) > 1 and histogram_is_small(shape, most_cells):
        left = pure.total * (1 if rows_are_public else 1 - SIZING)
        if histogram_outweighs(pure.noise(left), shape, rows, beside_pairs=telling):
            return Strategy.WHOLE, pure
    return (Strategy.ONE_SHOT, account) if telling else (Strategy.INDEPENDENT, quietest)
