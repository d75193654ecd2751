"""Linked tables: counts, measurements, and drawn rows. PUBLIC.

``marginals``  histograms of linked rows
``codes``      rows as codes
``laws``       rows, roots or bands
``strategy``   the measurements, one after another
``targets``    repaired histograms
``record``     measurements and payments
"""
