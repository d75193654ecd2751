"""Questions to a table, and how they are answered. PUBLIC.

Eight nouns lead from a question to its answer:

*Question*     a kind, columns, groups, a condition
*Inquiry*      questions and their guarantee
*Workload*     the questions as tallies over columns that are cut into atoms
*Tally*        a sum over the rows; a readout says how an answer follows from tallies
*Block*        questions that one noisy vector answers
*Way*          how a block is answered: its noise, its sensitivity, its cost
*Arrangement*  all blocks of a workload, each with its way: its portions
*Answer*       numbers with their intervals and average errors

The rooms and files:

``kinds``        the kinds of question
``wording``      one question and its condition, as a text and as JSON
``moves``        how far one person moves sums of rows together
``workloads``    the questions of an inquiry as sums over atoms of columns
``checking``     checks against a declared domain
``everyday_words`` everyday words, read into the parts of a question
``rewording``    a misunderstood question, reworded
``examples``     example questions, tried on the declared columns
``files``        several questions in a file
``way``          one way to answer a block, and the arrangement of all blocks
``moments``      sums of products: variances, covariances, regressions
``strategies``   strategies for many counts at once
``sum_ways``     ways to answer sums of numbers
``moment_ways``  ways to answer sums of products
``quantiles``    medians and other quantiles
``ways``         all ways to answer a block, and their errors
``rebuilt_ways`` a way, rebuilt from its description
``arranging``    questions sorted into blocks, with ways and costs
``answers``      answers from noisy totals
``inquiry``      a steward's questions and their guarantee
``alternatives`` costs and errors of every way
``least_costs``  the cost of an average error
"""

from typing import TYPE_CHECKING

from synth.util.lazy import offer

if TYPE_CHECKING:
    from synth.questions.alternatives import Alternative, list_alternatives
    from synth.questions.answers.answer import (
        HIDDEN,
        NO_INTERVAL,
        NO_VALUE,
        Answer,
        ShownNumbers,
        group_labels,
    )
    from synth.questions.answers.answers import read_answers
    from synth.questions.answers.answer import round_digits, shown_units
    from synth.questions.way.arrangement import Arrangement, spending_of
    from synth.questions.way.way import Portion
    from synth.questions.workloads.atoms import CutColumn, cut_column, cuts_of
    from synth.questions.workloads.block import Block, block_of
    from synth.questions.checking import check_asked, check_question
    from synth.questions.wording.claimed import COMPARED, ClaimedFigure
    from synth.questions.wording.condition import (
        And,
        Condition,
        Missing,
        Not,
        Or,
        Plain,
        columns_of,
    )
    from synth.questions.wording.condition import leaves
    from synth.questions.examples import (
        answerable,
        example_questions,
        measures,
        questions_about,
        questions_about_both,
    )
    from synth.questions.quantiles.figure_checks import Border
    from synth.questions.files import read_listed, read_questions
    from synth.questions.inquiry import Inquiry
    from synth.questions.moves.joint import Joint
    from synth.questions.kinds.families import CountKind, ProductKind, SumKind
    from synth.questions.kinds.kind import QuestionKind
    from synth.questions.kinds.registry import KINDS, kinds_of_tables
    from synth.questions.kinds.regressions import solve_symmetric
    from synth.questions.wording.language import parse
    from synth.questions.answers.moments import EVENLY_SPREAD
    from synth.questions.answers.numbers import Numbers
    from synth.questions.quantiles.aims import Aim, aims_of, quantiles_of, universe_of
    from synth.questions.quantiles.choices import is_monotone, rank_moves
    from synth.questions.quantiles.trees import ValueTree
    from synth.questions.wording.question import (
        Question,
        canonical_form,
        in_canonical_form,
        parse_weight,
    )
    from synth.questions.rebuilt_ways import way_again
    from synth.questions.wording.regression import References
    from synth.questions.rewording import Suggestions, read_question, suggest_questions
    from synth.questions.least_costs import least_epsilon, least_rho
    from synth.questions.way.strategy import CountStrategy
    from synth.questions.workloads.grains import summable
    from synth.questions.workloads.tallies import Grain, Tally
    from synth.questions.workloads.truth import evaluate
    from synth.questions.way.way import Way
    from synth.questions.wording.spelling import name_text, refuse_question, value_text
    from synth.questions.workloads.workload import Readout, Workload, cut_columns

__getattr__ = offer(__name__)
