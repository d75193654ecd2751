"""Models of noisy marginals: one distribution that agrees with many small histograms.

A wide table has far more cells than rows. Its small histograms (marginals) do not, so they are
measured instead, with the same exact noise, and joined:

``junction``   which columns must stand together, and how many cells that takes
``inference``  marginals of a junction tree from its log potentials
``estimate``   the potentials whose marginals are closest to the measured ones
``rows``       rows, as codes, drawn from the fitted distribution
"""
