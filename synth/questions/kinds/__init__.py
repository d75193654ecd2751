"""Kinds of question, each one object with everything that distinguishes it. PUBLIC.

``kind``         the interface of a kind
``families``     the three kinds of kind: counts, sums, products
``counts``       counts, shares, tables, most frequent values
``sums``         totals and means
``moments``      variances, covariances, correlations, directions
``regressions``  least-squares lines and logistic regressions
``choices``      quantiles, the best of several conditions, checks of a figure
``entries``      the sums of numbers and products that a question needs
``registry``     all kinds by name
"""
