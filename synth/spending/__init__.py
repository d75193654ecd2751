"""All code that spends budget: it opens the door, counts, measures and certifies. DOOR.

``purchase``     every spend
``beginning``    every release, before it counts
``pipeline``     a release of one table
``linked``       a release of linked tables
``asking``       answers to an inquiry
``fit``          a check whether rows fit
``draft``        a domain from noisy counts
``described``    a release whose columns a draft describes
``score``        a utility score
``datasets``     new datasets: their names and first budgets
``public_file``  a public table as a guess
"""

from typing import TYPE_CHECKING

from synth.util.lazy import offer

if TYPE_CHECKING:
    from synth.spending.asking import ask
    from synth.spending.datasets import DatasetName, Wording, check_name_known, dataset_of
    from synth.spending.datasets import needs_budget, set_first_budget
    from synth.spending.described import (
        DescribingWords,
        columns_to_draft,
        describe_from_rows,
        describe_privately,
        DraftSplit,
        NEED_DESCRIPTION,
        OFFERED_RELEASE_DELTA,
        refuse_with_draft,
    )
    from synth.spending.draft import draft_domain
    from synth.spending.fit import check_fit, collect, look_at, refuse_few, said_by
    from synth.spending.linked import open_package, synthesize_linked
    from synth.spending.pipeline import place_of, refuse_one_piece, synthesize
    from synth.spending.pipeline import synthesize_parts
    from synth.spending.public_file import (
        public_apart,
        public_reader,
        read_public,
        refuse_itself,
    )
    from synth.spending.purchase import RELEASE_STAGES, STAGES, Spending, SpendSetting
    from synth.spending.purchase import mark_of, request_of
    from synth.spending.score import add_score

__getattr__ = offer(__name__)
