"""Linked tables: counts, measurements, a model, and drawn rows. PUBLIC.

``marginals``       histograms of linked rows
``codes``           rows as codes
``laws``            rows, roots or bands
``model``           factors fitted to histograms
``drawing``         rows drawn by factors
``strategy``        the measurements of all tables
``table_measures``  those of one table, one after another
``targets``         repaired histograms
``record``          measurements and payments
"""

from typing import TYPE_CHECKING

from synth.util.lazy import offer

if TYPE_CHECKING:
    from synth.linked.codes import LinkedCodes, TableCodes
    from synth.linked.marginals import CountLaw, LinkedMarginal, unit_of
    from synth.linked.record import add_noise_to, LinkedSpend, noise_is_paid, replay
    from synth.linked.strategy import check_linked_noise, forecast_linked
    from synth.linked.table_measures import estimate_roots, LinkedRequest, reach_of_roots

__getattr__ = offer(__name__)
