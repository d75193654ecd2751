"""Questions to a table: what is asked, and how it would be answered. PUBLIC.

Eight nouns lead from a question to its answer:

*Question*     what is asked: a kind, columns, groups, a condition
*Inquiry*      questions, and under which guarantee they are asked
*Workload*     the questions of an inquiry as tallies over columns that are cut into atoms
*Tally*        what is added up over the rows; a readout says how an answer is read off tallies
*Block*        questions of a workload that are answered by one noisy vector
*Way*          how a block is answered: its noise, how far one person moves it, what it costs
*Arrangement*  all blocks of a workload, each with its way: its portions
*Answer*       numbers with their intervals and expected errors

The files:

``wording``      how names and values are written, and what may be one
``condition``    which rows a question is about: comparisons joined by and, or, not
``kinds``        what tells one kind of question from another
``question``     one question: its kind, columns, groups and condition; as JSON and as text
``candidates``   what an answer is chosen among
``lexemes``      the words, names, values and symbols of a text
``regressors``   what a regression is of and on
``parser``       a condition, from its text
``known_moments`` noisy sums of offsets and of products, as far as they tell of a question
``language``     a question as one would say it
``rewording``    a question that was not understood, in the words of the language
``files``        several questions in a file
``atoms``        columns cut where questions cut them
``truth``        when a condition is true, and whether it can be of any row
``checking``     whether a question can be asked of a declared domain
``terms``        a workload as vectors over the atoms of columns
``grid``         the cells that terms tell apart
``patterns``     what rows of these cells add
``farthest``     the two rows that are furthest apart
``extents``      largest moves of a component
``relaxation``   bounds of components too large to enumerate
``joint``        how far one person moves all terms together
``tallies``      what is added up over the rows, by group
``workload``     questions as tallies: which rows, or whose numbers, are added up where
``grains``       grids on which numbers are added up
``ratio``        means and shares from a noisy pair
``way_names``    names of the ways to answer
``block``        questions that are answered together
``way``          one way to answer a block
``sum_ways``     ways to answer sums of numbers
``ways``         all ways to answer a block, and their expected errors
``reconstruction`` a way to answer, put together from what is told of it
``arrangement``  which questions are answered together, by which way, at which cost
``totals``       noisy totals, and the law of their noise
``guess``        totals before they are asked, for a forecast
``answers``      answers read off noisy totals
``inquiry``      what a steward asks, and under which guarantee
``solve``        what has to be spent for an expected error
``alternatives`` what every way would cost and be worth
``cell_sums``    what rows of each cell of a release add to an answer
``numbers``      numbers with their intervals and expected errors
``sources``      what a release says of a few columns together
``cell_intervals`` totals and ratios of what cells add up to, with intervals
``released``     answers by a release that exists, free
``moments``      sums of products: variances, covariances, regressions
``quantiles``    medians and other quantiles
``strategies``   strategies for many counts at once
``offers``       free answers beside those that are asked
"""

from typing import TYPE_CHECKING

from synth.util.lazy import offer

if TYPE_CHECKING:
    from synth.questions.alternatives import Alternative, list_alternatives
    from synth.questions.answers import NO_INTERVAL, NO_VALUE, Answer, ShownNumbers, group_labels
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
    from synth.questions.offers import Offer, put_together, still_asked, with_release
    from synth.questions.quantiles.aims import Aim, aims_of, quantiles_of, universe_of
    from synth.questions.quantiles.choices import is_monotone, rank_moves
    from synth.questions.quantiles.trees import ValueTree
    from synth.questions.question import Question, canonical_form, in_canonical_form, parse_weight
    from synth.questions.reconstruction import way_again
    from synth.questions.regressors import References
    from synth.questions.released import EVENLY, NO_ANSWER, atom_grid, free_answers, from_release
    from synth.questions.released import mended_values
    from synth.questions.rewording import read_question, suggest_question
    from synth.questions.solve import least_epsilon, least_rho
    from synth.questions.sources import MODEL, MeasuredPart, Mended, ReleaseView, Source
    from synth.questions.sources import complete_rows, source_of
    from synth.questions.strategies.strategy import CountStrategy
    from synth.questions.tallies import Grain, Tally
    from synth.questions.truth import evaluate
    from synth.questions.way import Way
    from synth.questions.way_names import WayName
    from synth.questions.wording import name_text, refuse_question, value_text
    from synth.questions.workload import cut_columns

__getattr__ = offer(__name__)
