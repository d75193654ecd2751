"""Plans of releases, and saved projects. PUBLIC.

``codecs``        values as JSON, and back
``noise_limits``  refusals of budgets whose noise is not drawn
``options``       every option
``plan``          the plan of a release
``linked_plan``   the plan of a release of linked tables
``project``       saved work of the app
``store``         the folder of projects
"""

from typing import TYPE_CHECKING

from synth.util.lazy import offer

if TYPE_CHECKING:
    from synth.plans.codecs import (
        Codec,
        LISTS,
        TEXT,
        codecs_of,
        list_codec,
        optional_codec,
    )
    from synth.plans.codecs import part_codec, read_all, read_count, read_text_list, reader_of
    from synth.plans.codecs import word_codec, write_all
    from synth.plans.linked_plan import LinkedPlan
    from synth.plans.options import (
        ALONE,
        OPTIONS,
        choose_guarantee,
        read_arguments,
        read_word,
    )
    from synth.plans.plan import Method, Plan, REPAIR_SEEN
    from synth.plans.project import PROJECT_FORMAT, KnownTable, Project, Started
    from synth.plans.store import OvertakenError, Projects, new_identifier

__getattr__ = offer(__name__)
