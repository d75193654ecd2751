"""Private drafts of a declaration: the request, and conclusions from noisy counts. PUBLIC.

The private half is `synth.private.counting.cell_shapes` and `synth.private.queries.drafts`.

``candidates``  lists of values
``steps``       steps between bounds
``request``     columns and guarantee
``hopes``       expectations
``seen``        cells that exceed the noise
``findings``    the kind of a column
``losses``      rows that a drafted column loses, and values that no row has
``drafted``     the result
``finished``    the domain of the columns that it describes to the end
``described``   a described column in words
``proposals``   relations that all rows obey, as a look offers them
"""

from typing import TYPE_CHECKING

from synth.util.lazy import offer

if TYPE_CHECKING:
    from synth.drafting.candidates import (
        Candidates,
        DATES,
        MISSING,
        read_candidates,
        SENTINELS,
    )
    from synth.drafting.described import (
        describe_losses,
        describe_values,
        name_special_values,
        ON_COMMAND_LINE,
    )
    from synth.drafting.drafted import (
        decisions_of,
        draft_field,
        draft_lines,
        DraftColumn,
        Drafted,
        identifying_column,
        list_losses,
        nearly_all_differ,
        open_column,
        Review,
        settle_axis,
        settle_list,
        single_bins,
        truth_field,
    )
    from synth.drafting.findings import (
        AxisColumn,
        DECIMAL,
        ERAS,
        find,
        Finding,
        FOLLOWED,
        missing_found,
        NoKind,
        Shapes,
        SIZE_CUTS,
        TextColumn,
        WHOLE,
    )
    from synth.drafting.finished import finish_complete
    from synth.drafting.hopes import (
        Hopes,
        list_offers,
        offer_draft,
        OFFERED_DELTA,
        QUICK_DRAFT,
    )
    from synth.drafting.losses import (
        listed_texts,
        Loss,
        say_how_to_agree,
        say_losses,
        say_missing,
    )
    from synth.drafting.proposals import (
        choose_proposals,
        Proposal,
        take_proposals,
        TakenProposals,
    )
    from synth.drafting.request import DraftRequest
    from synth.drafting.seen import Seen
    from synth.drafting.steps import Cuts, year_start

__getattr__ = offer(__name__)
