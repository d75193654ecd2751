"""The generators of the fuzzers draw every kind of column, key of a field and option."""

from collections.abc import Iterator
from functools import partial
from itertools import chain
from random import Random

from synth.domain import COLUMN_KINDS, Column, Domain, write_schema
from synth.private.table import parse_format
from synth.private.table.csv_options import FORMAT_OPTIONS
from tests.fuzz.hostile import Maker
from tests.fuzz.neighbour_columns import column_of
from tests.fuzz.neighbour_text import text_of

DRAWS = 400
UNCOUNTED = {"synth:open_list", "synth:decimals"}
"""Keys that change no cell: what is written, and whether somebody has to decide."""
OF_OTHER_FILES = {"sheet"}
"""Options of workbooks and databases, which are drawn there."""


def keys_of(columns: Iterator[Column]) -> tuple[set[type[Column]], set[str]]:
    """Return the kinds of some columns, and the keys of their fields."""
    drawn = [*columns]
    fields = [write_schema(Domain((column,)))["fields"][0] for column in drawn]
    return {*map(type, drawn)}, {*chain(*fields)}


def test_every_kind_of_column_is_drawn() -> None:
    """Both generators draw all kinds, and all keys by which a cell is read or placed."""
    expected_keys = {*chain(*(kind.keys for kind in COLUMN_KINDS.values()))} - UNCOUNTED
    expected_keys |= {"synth:bins", "synth:spikes", "synth:signs", "missingValues"}
    draws = map(Random, range(DRAWS))
    for columns in (
        (column_of(draw, "c") for draw in draws),
        (Maker(seed).column("c") for seed in range(DRAWS)),
    ):
        kinds, keys = keys_of(columns)
        assert kinds == {*COLUMN_KINDS.values()}
        assert keys >= expected_keys


def test_every_option_of_a_text_is_drawn() -> None:
    """Each option of a format has a value of its own in some of the drawn files."""
    draw_form = partial(text_of, lines="span")
    forms = [draw_form(Random(seed))[0].form for seed in range(DRAWS)]
    names = {option.partition("=")[0] for form in forms for option in form.options}
    assert names == {*FORMAT_OPTIONS} - OF_OTHER_FILES
    for form in forms[:20]:
        assert parse_format(form.options).header == form.header
