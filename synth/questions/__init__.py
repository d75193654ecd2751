"""Questions to a table, and how they are answered. PUBLIC.

Eight nouns lead from a question to its answer:

*Question*     a kind, columns, groups, a condition
*Inquiry*      questions and their guarantee
*Workload*     the questions as tallies over columns that are cut into atoms
*Tally*        a sum over the rows; a readout says how an answer follows from tallies
*Block*        questions that one noisy vector answers
*Way*          how a block is answered: its noise, its sensitivity, its cost
*Arrangement*  all blocks of a workload, each with its way: its portions
*Answer*       numbers with their intervals and expected errors

The files:

``condition``    conditions on rows
``kinds``        the kinds of question
``question``     one question; as JSON and as text
``candidates``   candidates of a choice
``lexemes``      the words, names, values and symbols of a text
``known_moments`` noisy sums of offsets and of products
``language``     a question in plain words
``rewording``    a misunderstood question, reworded
``files``        several questions in a file
``atoms``        columns cut where questions cut them
``checking``     checks against a declared domain
``terms``        a workload as vectors over atoms
``grid``         the cells that terms distinguish
``patterns``     the vectors of these cells
``extents``      largest moves of a component
``relaxation``   bounds of large components
``joint``        how far one person moves all terms together
``tallies``      sums over the rows, by group
``workload``     questions as tallies
``grains``       grids on which numbers are added
``ratio``        means and shares from a noisy pair
``way_names``    names of the ways to answer
``block``        questions that are answered together
``way``          one way to answer a block
``ways``         all ways to answer a block, and their errors
``arrangement``  questions sorted into blocks, with ways and costs
``totals``       noisy totals, and the law of their noise
``answers``      answers from noisy totals
``inquiry``      a steward's questions and their guarantee
``alternatives`` costs and errors of every way
``cell_sums``    contributions of each cell to an answer
``numbers``      numbers with intervals and expected errors
``sources``      a release's counts of a few columns together
``cell_intervals`` totals and ratios from cells, with intervals
``released``     free answers from a release
``moments``      sums of products: variances, covariances, regressions
``quantiles``    medians and other quantiles
``strategies``   strategies for many counts at once
"""

from typing import TYPE_CHECKING

from synth.util.lazy import offer

if TYPE_CHECKING:
    from synth.questions.alternatives import Alternative, list_alternatives
    from synth.questions.answers import (
        NO_INTERVAL,
        NO_VALUE,
        Answer,
        ShownNumbers,
        group_labels,
    )
    from synth.questions.answers import read_answers
    from synth.questions.answers import round_digits
    from synth.questions.arrangement import Arrangement, Portion, spending_of
    from synth.questions.atoms import cut_column, cuts_of
    from synth.questions.block import Block, block_of
    from synth.questions.cell_intervals import first_out
    from synth.questions.checking import check_asked, check_question
    from synth.questions.condition import And, Condition, Missing, Not, Or, Plain, columns_of
    from synth.questions.condition import leaves
    from synth.questions.files import read_listed, read_questions
    from synth.questions.inquiry import Inquiry
    from synth.questions.joint import Joint
    from synth.questions.kinds.kind import QuestionKind
    from synth.questions.kinds.registry import KINDS
    from synth.questions.kinds.regressions import solve_symmetric
    from synth.questions.known_moments import KnownMoment, find_moments
    from synth.questions.language import parse
    from synth.questions.moments.reading import EVENLY_SPREAD
    from synth.questions.numbers import Numbers
    from synth.questions.released import Offer, put_together, still_asked, with_release
    from synth.questions.quantiles.aims import Aim, aims_of, quantiles_of, universe_of
    from synth.questions.quantiles.choices import is_monotone, rank_moves
    from synth.questions.quantiles.trees import ValueTree
    from synth.questions.question import (
        Question,
        canonical_form,
        in_canonical_form,
        parse_weight,
    )
    from synth.questions.ways import way_again
    from synth.questions.question import References
    from synth.questions.released import (
        EVENLY,
        NO_ANSWER,
        atom_grid,
        free_answers,
        from_release,
    )
    from synth.questions.released import mended_values
    from synth.questions.rewording import read_question, suggest_question
    from synth.questions.alternatives import least_epsilon, least_rho
    from synth.questions.sources import MODEL, MeasuredPart, Mended, ReleaseView, Source
    from synth.questions.sources import complete_rows, source_of
    from synth.questions.strategies.strategy import CountStrategy
    from synth.questions.tallies import Grain, Tally
    from synth.questions.checking import evaluate
    from synth.questions.way import Way
    from synth.questions.way_names import WayName
    from synth.questions.condition import name_text, refuse_question, value_text
    from synth.questions.workload import cut_columns

__getattr__ = offer(__name__)
