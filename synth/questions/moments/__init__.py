"""Sums of squares and products: variances, covariances, regressions, directions. PUBLIC.

``entries``      the sums that a question needs
``spans``        the range of each column, and its grid
``corners``      two rows with the largest distance
``sensitivity``  how far one person moves all sums together
``noisy``        the noisy matrix of sums, and the law of its noise
``reading``      answers from the noisy sums, and their forecasts
"""
