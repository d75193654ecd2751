"""The public domain: the declaration of every column, before any row is read. PUBLIC.

``domain``           all columns together: the universe of cells
``column``           the interface of a column
``reading``          how a cell is read, and cut into cells
``listed``           categories, yes or no
``bins``             the common part of columns with bins
``numbers``          whole numbers and real numbers
``dates``            dates, in equal bins or by the calendar
``clocks``           times of day and durations
``clock_readings``   how their texts are read
``date_formats``     date formats by example
``date_patterns``    what a pattern of dates may hold, and the texts that it writes
``periods``          periods of the calendar
``zones``            time zones: UTC, fixed offsets and names
``dtypes``           columns from the types of a DataFrame
``building``         columns declared in code
``field_values``     checked values of a Table Schema field
``fields``           one column as a Table Schema field
``decisions``        columns that the steward leaves out, or lets lose values
``origin``           the origin of a declaration, and its paid drafts
``showing``          a domain in a notebook
``documents``        declarations of any kind
``table_schema``     a domain as a Frictionless Table Schema
``advice``           reasons against a column
``derived``          columns that follow from others
``identifiers``      ID columns, drawn from a pattern
``offsets``          distances from the middle of bins, in whole steps
``grammar``          lexemes and operators of formulas and questions
``formulas``         the language of formulas
``formula_values``   possible values of a formula
``size``             universes that may be enumerated
``codebooks``        descriptions by other tools and people
``packages``         a package of tables with keys and links
``frozen``           immutable values
"""

from typing import TYPE_CHECKING

from synth.util.lazy import offer

if TYPE_CHECKING:
    from synth.domain.advice import (
        CODE_WORDS,
        MAX_KEY_VALUES,
        NAME_WORDS,
        PLACE_WORDS,
        TEXT_WORDS,
        TIME_WORDS,
    )
    from synth.domain.advice import (
        find_misfit,
        sounds_like,
        sounds_like_key,
        sounds_like_person,
    )
    from synth.domain.bins import Binned, CUTS, Piece
    from synth.domain.codebooks.apart import ask_codebook, read_codebooks, sheet_in
    from synth.domain.codebooks.contents import has_labels, load_bytes
    from synth.domain.codebooks.formats import OTHER_FORMATS, to_other
    from synth.domain.codebooks.sheets import HEADERS, ROLES, Sheet
    from synth.domain.codebooks.template import HOW_TO, template
    from synth.domain.clock_readings import Clock, Span, SpanReading
    from synth.domain.clocks import Duration, TimeOfDay
    from synth.domain.codebooks.variables import MAX_REASONS, is_number
    from synth.domain.column import Column, MISSING_LABEL, OTHER_LABEL, Outside, UNREADABLE
    from synth.domain.column import first_repeat, write_field
    from synth.domain.date_formats import example_of, format_of, formats_of
    from synth.domain.date_formats import has_time, iso_format, spell_pattern
    from synth.domain.date_patterns import EPOCH, MONTH_NAMES, WEEKDAYS, OFFSET
    from synth.domain.date_patterns import MONTHS_IN_YEAR, SHORT_YEARS
    from synth.domain.date_patterns import midnight_form, months_in_step
    from synth.domain.date_patterns import plain_mark, plain_pattern
    from synth.domain.date_patterns import (
        offset_of,
        split_pattern,
        without_fraction,
    )
    from synth.domain.date_patterns import write_moment
    from synth.domain.dates import Date
    from synth.domain.decisions import (
        Decisions,
        FOR_RELATIONS,
        NO_DECISIONS,
        NOT_CHOSEN,
        UNDECIDED,
    )
    from synth.domain.decisions import read_decisions
    from synth.domain.periods import Period
    from synth.domain.derived import Derived, KEY, read_derived, read_lookup
    from synth.domain.documents import (
        load_declaration,
        load_description,
        load_schema,
        missing_values,
        select_fields,
    )
    from synth.domain.domain import Domain, coarsening_advice
    from synth.domain.field_values import Arguments, Field, constraints
    from synth.domain.fields import read_field
    from synth.domain.formula_values import bin_labels, edges_of, may_give
    from synth.domain.formulas import Formula
    from synth.domain.frozen import FrozenMap, freeze, freeze_fields, set_field, thaw
    from synth.domain.grammar import (
        Lexeme,
        LexemeReader,
        compile_lexeme,
        name_place,
        split_lexemes,
    )
    from synth.domain.identifiers import ID_KEY, Identifier, PATTERN_HELP, read_identifier
    from synth.domain.identifiers import refuse_short
    from synth.domain.fields import COLUMN_KINDS, kind_of, name_kind
    from synth.domain.packages.package import LinkedPackage, LinkedTable, Lookup
    from synth.domain.packages.reading import read_package
    from synth.domain.listed import Boolean, Categorical
    from synth.domain.numbers import Integer, Number, write_decimal
    from synth.domain.offsets import Frame, OFFSET_STEPS, Offsets, PRODUCT_STEPS, has_offsets
    from synth.domain.offsets import may_lack_number
    from synth.domain.origin import (
        DECLARED,
        DRAFTED,
        ORIGINS,
        LOOKED_UP,
        Provenance,
        read_provenance,
    )
    from synth.domain.reading import Bin, Cutting, DAY, Decimal, Even, Listed, Moment
    from synth.domain.reading import Position, Reading, Spike, Summable, Whole
    from synth.domain.size import check_dense
    from synth.domain.offsets import (
        MOST_STEPS,
        Product,
        Steps,
        Summand,
        steps_of,
        summed_column,
    )
    from synth.domain.zones import offset_at, offset_text, read_zone
    from synth.domain.table_schema import SCHEMA, finish, read_schema, write_schema

__getattr__ = offer(__name__)
