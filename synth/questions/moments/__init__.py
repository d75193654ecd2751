"""Sums of squares and products: variances, covariances, regressions, directions. PUBLIC.

``entries``      which sums of numbers and of products a question needs
``spans``        the range of each column among the rows that are asked about, and its grid
``corners``      two rows that are furthest apart
``sensitivity``  how far one person moves all sums together
``choice``       the noise, and the grids that it allows
``noisy``        the noisy matrix of sums, and the law of its noise
``spread``       variances and covariances
``regression``   slopes and the intercept
``components``   principal directions, each with a bound on its angle
``reading``      answers read off the noisy sums, and what to expect of them
"""
