"""The public domain: what a steward declares of every column, before any row is read. PUBLIC.

``domain``           all columns together: the universe of cells
``column``           what every column has
``reading``          how the text of a cell is read, and where what was read is cut
``listed``           two kinds that list their values: categories, yes or no
``bins``             what all columns have that are cut into bins
``numbers``          whole numbers and numbers
``steps``            numbers and dates as whole steps, to be summed
``dates``            dates, cut into bins or by the calendar
``date_formats``     date formats by example
``kinds``            the table of all kinds
``dtypes``           columns as the types of a DataFrame declare them
``building``         columns declared in code, and named by their domain
``field_values``     values of such a field, each checked and read in one way
``fields``           one column as a field of a Table Schema
``origin``           where a declaration comes from, and what was paid for it
``documents``        declarations of any kind, read as the fields of a domain
``table_schema``     a domain as a file: Frictionless Table Schema
``advice``           what a declaration alone says against a column
``derived``          columns that follow from others, in no cell
``identifiers``      ID columns, drawn from a pattern, in no cell
``offsets``          how far numbers are from the middle of their bins, in whole steps
``grammar``          how formulas and questions are read: lexemes, and operators that bind
``formulas``         the language of their formulas
``formula_values``   what a formula may give
``size``             which universes may be enumerated
``codebooks``        what other tools and people write of a table's columns
``frozen``           values that cannot be changed from outside
"""

from typing import TYPE_CHECKING

from synth.util.lazy import offer

if TYPE_CHECKING:
    from synth.domain.advice import MAX_KEY_VALUES, find_misfit, sounds_like_code
    from synth.domain.advice import sounds_like_key, sounds_like_place, sounds_like_text
    from synth.domain.advice import sounds_like_time
    from synth.domain.bins import Binned, CUTS, Piece
    from synth.domain.codebooks.apart import ask_codebook, read_codebooks, sheet_in
    from synth.domain.codebooks.contents import has_labels, load_bytes
    from synth.domain.codebooks.formats import OTHER_FORMATS, to_other
    from synth.domain.codebooks.sdv import sdv_column
    from synth.domain.codebooks.sheets import HEADERS, ROLES, Sheet
    from synth.domain.codebooks.template import HOW_TO, template
    from synth.domain.column import Column, MISSING_LABEL, OTHER_LABEL, Outside, UNREADABLE
    from synth.domain.column import first_repeat
    from synth.domain.date_formats import MONTH_NAMES, WEEKDAYS, example_of, format_of, formats_of
    from synth.domain.date_formats import has_time, iso_format
    from synth.domain.dates import Date, Period
    from synth.domain.derived import Derived, KEY, read_derived, read_lookup
    from synth.domain.documents import load_schema, missing_values
    from synth.domain.domain import Domain, coarsening_advice
    from synth.domain.field_values import Arguments, Field, constraints
    from synth.domain.fields import read_field, write_field
    from synth.domain.formula_values import bin_labels, edges_of, may_give
    from synth.domain.formulas import Formula
    from synth.domain.frozen import FrozenMap, freeze, freeze_fields, set_field, thaw
    from synth.domain.grammar import Lexeme, LexemeReader, compile_lexeme, name_place, split_lexemes
    from synth.domain.identifiers import ID_KEY, Identifier, PATTERN_HELP, read_identifier
    from synth.domain.identifiers import refuse_short
    from synth.domain.kinds import COLUMN_KINDS, kind_of, name_kind
    from synth.domain.listed import Boolean, Categorical
    from synth.domain.numbers import Integer, Number, write_decimal
    from synth.domain.offsets import Frame, OFFSET_STEPS, Offsets, PRODUCT_STEPS, has_offsets
    from synth.domain.origin import DECLARED, DRAFTED, LOOKED_UP, provenance
    from synth.domain.reading import Bin, Cutting, DAY, Decimal, EPOCH, Even, Listed, Moment
    from synth.domain.reading import Position, Reading, Spike, Summable, Whole
    from synth.domain.size import check_dense
    from synth.domain.steps import MOST_STEPS, Product, Steps, Summand, steps_of, summed_column
    from synth.domain.table_schema import SCHEMA, finish, read_schema, write_schema

__getattr__ = offer(__name__)
