"""Kinds of question, each one object with everything that distinguishes it. PUBLIC.

``kind``         the interface of a kind
``counts``       counts, shares, tables, and the most frequent values
``sums``         totals and means
``moments``      variances, covariances, correlations and principal directions
``regressions``  least-squares lines and logistic regressions
``choices``      quantiles, and the best of several conditions
``registry``     all of them by name
"""
