"""Synthetic rows: drawn as codes, decoded to values, written to files. PUBLIC.

``draw``           rows from a distribution
``values``         values from codes
``exchange``       values permuted until sums match
``value_numbers``  the numbers by which values are drawn
``offsets``        laws within bins, from noisy sums
``cell_places``    the law of a value's place within its bin
``marked_values``  values that mean a missing one
``identifiers``    IDs of rows
``derive``         derived columns
``shares``         set shares of a column
``encode``         codes from values
``linked``         linked tables
``ordered_pairs``  values in order
``write``          tables as files
``shared_pieces``  pieces of rows that several files need
"""

from typing import TYPE_CHECKING

from synth.util.lazy import offer

if TYPE_CHECKING:
    from synth.rows.derive import (
        RowValues,
        derived_from,
        derived_values,
        made_up,
        with_derived,
        write_derived,
    )
    from synth.rows.draw import (
        SyntheticTable,
        decode,
        draw_rows,
        fresh_seed,
        measured_laws,
        resample,
        round_systematically,
    )
    from synth.rows.encode import encode_columns, read_each
    from synth.rows.identifiers import spell_identifiers
    from synth.rows.linked import linked_tables
    from synth.rows.offsets import CellLaws, value_laws
    from synth.rows.ordered_pairs import Pairs
    from synth.rows.shares import (
        Shares,
        check_shared,
        draw_independent,
        load_shares,
        parse_shares,
        read_shares,
        spread_shares,
    )
    from synth.rows.shared_pieces import share_pieces
    from synth.rows.values import label_texts, numbers, spell_codes
    from synth.rows.write import Maker, Pieces, make_piece, slices, write_csv, write_parquet

__getattr__ = offer(__name__)
