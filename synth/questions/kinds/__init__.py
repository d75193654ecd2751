"""Kinds of question, each one object that says all that tells it from the others. PUBLIC.

``kind``         what there is to say of a kind
``counts``       counts, shares, tables, and the most frequent values
``sums``         totals and means
``moments``      variances, covariances, correlations and principal directions
``regressions``  least-squares lines and logistic regressions
``choices``      quantiles, and the best of several conditions
``registry``     all of them by name
"""
