"""Synthetic rows: drawn as codes, decoded to values, written to files. PUBLIC.

``draw``           from a distribution over cells to rows
``values``         from codes to values
``exchange``       values that change places within cells, until sums with others are right
``offsets``        where in their bins values lie, by noisy sums of offsets
``identifiers``    IDs of rows, from a pattern and a seed
``derive``         columns that follow from others, by value
``shares``         shares that somebody sets, and rows that follow them
``encode``         from values back to codes
``linked``         rows of linked tables, under keys that are run
``ordered_pairs``  values that must stand in order
``write``          tables as files, piece by piece
"""

from typing import TYPE_CHECKING

from synth.util.lazy import offer

if TYPE_CHECKING:
    from synth.rows.derive import RowValues, derived_from, derived_values, made_up, with_derived
    from synth.rows.derive import write_derived
    from synth.rows.draw import SyntheticTable, decode, draw_rows, resample
    from synth.rows.draw import fresh_seed, round_systematically
    from synth.rows.encode import encode_columns, read_each
    from synth.rows.identifiers import spell_identifiers
    from synth.rows.linked import linked_tables
    from synth.rows.offsets import CellLaws, value_laws
    from synth.rows.ordered_pairs import Pairs
    from synth.rows.shares import Shares, check_shared, draw_independent, load_shares
    from synth.rows.shares import parse_shares, read_shares, spread_shares
    from synth.rows.values import label_texts, numbers, spell_codes
    from synth.rows.write import Maker, Pieces, made, slices, write_csv, write_parquet

__getattr__ = offer(__name__)
