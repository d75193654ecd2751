"""The libraries of the pages, loaded once and excluded from garbage collection.

Streamlit collects garbage before the browser gets its answer. Scanning some hundred thousand
library objects takes longer than the rest of a move of the slider. This module is loaded
before any table, so the excluded objects hold nothing private. They are included again at
exit: otherwise C++ bindings (DuckDB's) print warnings."""

import atexit
import gc

import plotly.graph_objects  # noqa: F401 - loaded here to be set aside

from pages.ui.domain import overview  # noqa: F401
from pages.ui.plan import prediction  # noqa: F401
from pages.ui.shell import (
    charts,  # noqa: F401
    memory,
    state,  # noqa: F401
)
from synth.bundle import archive  # noqa: F401
from synth.private.comparison import distances  # noqa: F401

memory.share_heaps()
memory.watch()
gc.collect()
gc.freeze()
atexit.register(gc.unfreeze)
