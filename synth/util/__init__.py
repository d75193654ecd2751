"""Tools of all rooms. PUBLIC.

``version``   the version of Synth
``lazy``      names of a room, imported at first use
``arguments`` types of the arguments of public functions
``check``     checks of arguments, and strict JSON
``arrays``    types of arrays, and sums by cell
``hidden``    objects with private data
``metrics``   distances between two tables
``workers``   parts of work in several threads, in order
``memory``    the end of memory, in a sentence
``paths``     paths that no file can have, and the folder for lasting files
``proof``     how a server proves to its window that it is its own
``deadline``  work that ends at a time limit or on request
``outputs``   files that results are written to, looked at before anything is done
``digits``    numbers as texts, rounded by their uncertainty
``plots``     pictures, with alternative text
``count_plots`` pictures of noisy counts
``small_multiples`` many small pictures of columns as HTML
``glossary``  words of the field, explained
``field_defaults`` fields that files leave out if they have their default
``notebook``  HTML that a notebook shows of an object
"""

from typing import TYPE_CHECKING

from synth.util.lazy import offer

if TYPE_CHECKING:
    from synth.util.arguments import (
        check_fields,
        check_types,
        respell,
        take_spellings,
    )
    from synth.util.arrays import (
        Blocks,
        COUNTED_CELLS,
        Cells,
        Codes,
        Floats,
        Ints,
        Mask,
        Singles,
    )
    from synth.util.arrays import (
        SmallCodes,
        ascending,
        bisect,
        distinct,
        geometric_mean,
        is_in,
    )
    from synth.util.arrays import (
        log_factorials,
        maximize_mixture,
        normal,
        number_cells,
        pack,
        runs,
    )
    from synth.util.arrays import small_type, softmax, split_cells, sum_by_cell, sums_by_cell
    from synth.util.arrays import split_axes, sum_other_axes, sums_inside
    from synth.util.check import (
        Document,
        Json,
        check_whole,
        in_range,
        inside,
        positive,
        read_json,
    )
    from synth.util.count_plots import draw_counts
    from synth.util.deadline import STOPPED, Watch, check_deadline, interruptible
    from synth.util.digits import Rounding, round_up, write_number
    from synth.util.digits import write_probability, write_share
    from synth.util.glossary import GLOSSARY, explain_word
    from synth.util.hidden import Private
    from synth.util.lazy import offer
    from synth.util.notebook import list_html, paragraph_html, table_html
    from synth.util.memory import NOTHING_SPENT, OUT_OF_MEMORY, describe_lack, lacks_memory
    from synth.util.memory import fitting_in_memory
    from synth.util.metrics import Errors, Names, Scored, k_marginal, summarize, tables
    from synth.util.field_defaults import may_lack, omitted
    from synth.util.outputs import FileOutput, FolderOutput, Output, Protection, Writer
    from synth.util.outputs import describe_there, NOTHING_PROTECTED, refuse_replacing
    from synth.util.outputs import is_same_file, refuse_shared_ledger
    from synth.util.paths import check_path, home_folder
    from synth.util.plots import BARS, GAPS, LINES, Picture, QUIET, REAL, SYNTHETIC
    from synth.util.plots import DrawnNumbers, NumberAxis
    from synth.util.plots import add_watermark, forecast_curve, intervals, lying_bars, one_way
    from synth.util.plots import pair_gap, set_axes, square, two_way
    from synth.util.plots import worst_first
    from synth.util.proof import PROOF_PATH, is_proved, keep_secret, prove
    from synth.util.small_multiples import SmallChart, SmallMultiples, draw_small
    from synth.util.version import say_how_to_install
    from synth.util.workers import each_part, one_thread

__getattr__ = offer(__name__)
