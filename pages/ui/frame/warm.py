"""The libraries of the pages, loaded once and excluded from garbage collection.

Streamlit collects garbage after every run of a script, before the browser gets its answer. The
libraries hold some hundred thousand objects that never become garbage, and scanning them takes
longer than the rest of a move of the slider. This module is loaded before any table, so the
excluded objects hold nothing private. At exit they are included again, as C++ bindings (DuckDB's)
print warnings about objects that the interpreter's last collection leaves.
"""

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
