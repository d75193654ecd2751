"""Linked tables: what is counted, what is measured next, and how rows are drawn. PUBLIC.

``marginals``  histograms of linked rows, and how far one root moves them
``codes``      rows of all tables as codes, and these histograms of them
``laws``       rows, roots or bands: which one is nearest, by public numbers
``strategy``   what is measured, one after another
``targets``    noisy histograms, repaired
``record``     what was measured and paid, asked again
"""
