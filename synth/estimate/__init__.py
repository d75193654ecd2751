"""From noisy counts to a model of the table. PUBLIC.

``assumptions`` a usual table, for splits and forecasts
``noisy``     noisy counts, and statements about a release
``repair``    repair of impossible counts
``models``    many small histograms joined into one model
``relational`` linked tables
``recipes``   methods: each from its words to its rows
``drafting``  a declaration from noisy counts of spellings and sizes
"""

from typing import TYPE_CHECKING

from synth.util.lazy import offer

if TYPE_CHECKING:
    from synth.estimate.drafting.candidates import Candidates, DATES, MISSING, SENTINELS
    from synth.estimate.drafting.candidates import read_candidates
    from synth.estimate.drafting.drafted import DraftColumn, Review, draft_field, open_column
    from synth.estimate.drafting.drafted import single_bins, truth_field
    from synth.estimate.drafting.drafted import Drafted, draft_lines, nearly_all_differ
    from synth.estimate.drafting.drafted import settle_axis, settle_list
    from synth.estimate.drafting.findings import AxisColumn, Finding, NoKind, TextColumn, find
    from synth.estimate.drafting.findings import missing_found
    from synth.estimate.drafting.hopes import Hopes, OFFERED_DELTA, QUICK_DRAFT
    from synth.estimate.drafting.hopes import list_offers, offer_draft
    from synth.estimate.drafting.request import DraftRequest
    from synth.estimate.drafting.seen import Seen
    from synth.estimate.drafting.findings import (
        DECIMAL,
        ERAS,
        FOLLOWED,
        SIZE_CUTS,
        Shapes,
        WHOLE,
    )
    from synth.estimate.drafting.steps import Cuts, year_start
    from synth.estimate.models.allocation import Account, choose_pairs, error_after
    from synth.estimate.models.arithmetic import rounding_digest
    from synth.estimate.models.associating import places
    from synth.estimate.models.choice import Choice, histogram_suffices
    from synth.estimate.models.choosing import Fitted, Order, SIZING, choose, first_share
    from synth.estimate.models.choosing import histogram_is_small, quietest_for_columns
    from synth.estimate.models.corrected_guess import APART, AS_IT_STANDS, Allowance
    from synth.estimate.models.corrected_guess import GUESS_DISTANCES, believed_off
    from synth.estimate.models.corrected_guess import histogram_is_nearer, presume_distances
    from synth.estimate.models.corrected_guess import with_guess, without_guess
    from synth.estimate.models.evidence import DISTANCES, Evidence, WORST, believed_total
    from synth.estimate.models.evidence import small_pairs
    from synth.estimate.models.exact_columns import round_column
    from synth.estimate.models.junction import Clique, cells
    from synth.estimate.models.large_rows import LargeRows, PartedRows, RowStore, Targets
    from synth.estimate.models.large_rows import place_here
    from synth.estimate.models.moment_queries import AUTO_SUMS, MEANS, PAIRS, choose_ranges
    from synth.estimate.models.moment_queries import choose_terms, ranged_forms
    from synth.estimate.models.moment_queries import (
        moment_noise,
        moment_queries,
        moment_share,
    )
    from synth.estimate.models.moment_queries import split_for_moments
    from synth.estimate.models.names import FAVOURS, Favour, Method
    from synth.estimate.models.pairwise import Together
    from synth.estimate.models.public_guess import PublicGuess
    from synth.estimate.models.public_source import (
        EarlierCost,
        NAMED,
        PublicSource,
        PublicTable,
    )
    from synth.estimate.models.public_source import check_named, relation_of
    from synth.estimate.models.record import Believed, columns_again, finish_again
    from synth.estimate.models.record import finish_with_bars, rebuild
    from synth.estimate.models.record import MarginalsRecord, record
    from synth.estimate.models.refine_parts import weights
    from synth.estimate.models.rules import Rules, load_rules, parse_rules, read_rules
    from synth.estimate.models.spark_rows import SparkRows, check_workers
    from synth.estimate.models.large_rows import let_go
    from synth.estimate.models.splitting import SELECTION, prospect, split_again
    from synth.estimate.noisy.counts import (
        NoisyCounts,
        NoisyMarginal,
        NoisyTable,
    )
    from synth.estimate.noisy.fits import FEW_ROWS_SHARE, FitCheck, FitCount, FitsSaid
    from synth.estimate.noisy.fits import digest_of, suggested_epsilon
    from synth.estimate.noisy.kept import Light, Relation, SHOWN, relations
    from synth.estimate.noisy.moments import MomentSum, NoisyMoment, moment_sensitivity
    from synth.estimate.noisy.moments import name_sums
    from synth.estimate.noisy.record import Bar, ColumnSet, Interval, Record, Spend
    from synth.estimate.noisy.relations import NONE_STOOD_OUT, measured_pairs, name_unmeasured
    from synth.estimate.noisy.relations import relations_sentence
    from synth.estimate.noisy.released_fits import released_fits
    from synth.estimate.recipes.groups import with_others
    from synth.estimate.recipes.recipe import NoisyParts
    from synth.estimate.recipes.registry import RECIPES, list_measuring
    from synth.estimate.recipes.tree import spanning_pairs
    from synth.estimate.recipes.usual_table import LikelyErrors, UsualTable
    from synth.estimate.relational.codes import TableCodes, LinkedCodes
    from synth.estimate.relational.marginals import CountLaw, LinkedMarginal, unit_of
    from synth.estimate.relational.record import (
        LinkedSpend,
        add_noise_to,
        noise_is_paid,
        replay,
    )
    from synth.estimate.relational.strategy import LinkedRequest, check_linked_noise
    from synth.estimate.relational.strategy import forecast_linked
    from synth.estimate.relational.strategy import estimate_roots
    from synth.estimate.repair.assumed_table import RepairedUniverse, typical
    from synth.estimate.repair.cell_effects import bayes_bias
    from synth.estimate.repair.histogram import Distribution, REPAIRS, Repair, repair_counts
    from synth.estimate.repair.marginal import Estimate, rake
    from synth.estimate.repair.ranges import fit_ranges, read_means
    from synth.estimate.repair.histogram import BIAS_COUNTS, Repaired, side_by_side
    from synth.estimate.repair.record import HistogramRecord
    from synth.estimate.repair.simplex import project_to_simplex

__getattr__ = offer(__name__)
