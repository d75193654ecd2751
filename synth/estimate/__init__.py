"""From noisy counts to a model of one table. PUBLIC.

``names``     the words that people type: methods, repairs, favours and ways
``assumptions`` a usual table, for splits and forecasts
``noisy``     noisy counts, and statements about a release
``repair``    repair of impossible counts
``models``    many small histograms joined into one model
``recipes``   methods: each from its words to its rows
"""

from typing import TYPE_CHECKING

from synth.util.lazy import offer

if TYPE_CHECKING:
    from synth.estimate.assumptions import usual_shares
    from synth.estimate.assumptions import (
        CONCENTRATED,
        EVEN,
        HALF_EVEN,
        is_long,
        USUAL_CELLS,
    )
    from synth.estimate.models.allocation import Account, choose_pairs, error_after, SELECTION
    from synth.estimate.models.arithmetic import rounding_digest
    from synth.estimate.models.associating import places
    from synth.estimate.models.choosing import (
        TableSize,
        choose,
        first_share,
        Fitted,
        histogram_is_small,
        Order,
        quietest_for_columns,
        SIZING,
    )
    from synth.estimate.models.corrected_guess import (
        Allowance,
        distance_from_public,
        histogram_is_nearer,
        presume_distances,
        with_guess,
        without_guess,
    )
    from synth.estimate.models.evidence import (
        believed_total,
        Evidence,
    )
    from synth.estimate.models.exact_columns import round_column
    from synth.estimate.models.junction import cells, Clique, count_small_pairs, small_pairs
    from synth.estimate.models.junction_rows import GOLDEN
    from synth.estimate.models.large_rows import (
        LargeRows,
        PartedRows,
        place_here,
        RowStore,
        Target,
        Targets,
    )
    from synth.estimate.models.moment_queries import (
        choose_ranges,
        choose_terms,
        MEANS,
        moment_noise,
        moment_queries,
        moment_share,
        PAIRS,
        ranged_forms,
        split_for_moments,
    )
    from synth.estimate.models.pairwise import Together
    from synth.estimate.models.public_guess import PublicGuess
    from synth.estimate.models.public_source import (
        check_named,
        EarlierCost,
        MAX_NAME_LENGTH,
        PublicSource,
        PublicTable,
        relation_of,
        read_voucher,
    )
    from synth.estimate.models.refine_parts import weights
    from synth.estimate.models.rules import load_rules, parse_rules, read_rules, Rules
    from synth.estimate.models.spark_rows import check_workers, SparkRows
    from synth.estimate.models.spilled_codes import let_go
    from synth.estimate.models.taken_rules import describe_taken, TAKEN
    from synth.estimate.models.splitting import prospect, split_again
    from synth.estimate.names import APART, AS_IT_STANDS, DISTANCES, GUESS_DISTANCES, WORST
    from synth.estimate.names import ASKED_WAYS, AUTO_SUMS, Favour, FAVOURS, Method, Repair
    from synth.estimate.names import WayName
    from synth.estimate.noisy.counts import NoisyCounts, NoisyMarginal, NoisyTable
    from synth.estimate.noisy.fits import (
        digest_of,
        FEW_ROWS_SHARE,
        FitCheck,
        FitCount,
        FitsSaid,
        suggested_epsilon,
    )
    from synth.estimate.noisy.kept import (
        Light,
        Relation,
        relations,
        MAX_SHOWN_RELATIONS,
        worst_relations,
    )
    from synth.estimate.noisy.moments import (
        moment_sensitivity,
        MomentSum,
        name_sums,
        NoisyMoment,
    )
    from synth.estimate.noisy.record import Bar, ColumnCounts, ColumnSet, Interval, Record
    from synth.estimate.noisy.record import Spend, reach_of
    from synth.estimate.noisy.relations import (
        measured_pairs,
        name_unmeasured,
        NONE_STOOD_OUT,
        relations_sentence,
    )
    from synth.estimate.noisy.released_fits import released_fits
    from synth.estimate.recipes.choice import Choice, histogram_suffices
    from synth.estimate.recipes.groups import with_others
    from synth.estimate.recipes.recipe import NoisyParts
    from synth.estimate.recipes.rebuilding import (
        Believed,
        columns_again,
        Redrawing,
        finish_again,
        finish_with_bars,
        rebuild,
    )
    from synth.estimate.recipes.record import Charge, MarginalsRecord, list_together, record
    from synth.estimate.recipes.registry import in_sentence, list_measuring
    from synth.estimate.recipes.registry import name_followed, name_method, RECIPES
    from synth.estimate.recipes.tree import spanning_pairs
    from synth.estimate.recipes.usual_table import LikelyErrors, UsualTable
    from synth.estimate.repair.assumed_table import RepairedUniverse, typical
    from synth.estimate.repair.cell_effects import bayes_bias
    from synth.estimate.repair.column import repair_column
    from synth.estimate.repair.comparing import BIAS_COUNTS, Repaired, side_by_side
    from synth.estimate.repair.comparing import spread_weights
    from synth.estimate.repair.histogram import (
        Distribution,
        repair_counts,
        REPAIRS,
    )
    from synth.estimate.repair.marginal import denoise, Estimate, rake, shrink
    from synth.estimate.repair.ranges import fit_ranges, read_means
    from synth.estimate.repair.record import HistogramRecord
    from synth.estimate.repair.simplex import project_to_simplex

__getattr__ = offer(__name__)
