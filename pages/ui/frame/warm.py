"""What is loaded once and stays: the libraries of the pages, out of the collector's sight.

Streamlit collects garbage after every run of a script, before the browser gets its answer. The
libraries hold some hundred thousand objects that will never be garbage, and looking at them
again takes longer than everything else a move of the slider asks for. This is loaded before
any table is, so nothing private is among what is set aside. At the end all is taken back in, as
bindings in C++ (DuckDB's) complain on the terminal of what the interpreter's last collection
leaves behind.
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
