"""Sums of squares and products: variances, covariances, regressions, directions. PUBLIC.

``spans``        the range of each column, and its grid
``corners``      two rows with the largest distance
``sensitivity``  how far one person moves all sums together
"""
