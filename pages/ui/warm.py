"""What is loaded once and stays: the libraries of the pages, out of the collector's sight.

Streamlit collects garbage after every run of a script, before the browser gets its answer. The
libraries hold some hundred thousand objects that will never be garbage, and looking at them
again takes longer than everything else a move of the slider asks for. This is loaded before
any table is, so nothing private is among what is set aside.
"""

import gc

import plotly.graph_objects  # noqa: F401 - loaded here to be set aside

from pages.ui import charts, overview, prediction, state  # noqa: F401
from synth import archive, pipeline, utility  # noqa: F401

gc.collect()
gc.freeze()
