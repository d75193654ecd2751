"""Quantiles, the best of several conditions, yes or no: answers that are chosen. PUBLIC.

``values``   the values to choose among
``aims``     the target ranks, and their shares of the budget
``choices``  ways to choose, and their costs
``trees``    a noisy tree over the values
``figure_checks`` whether a claimed figure is close to the real one
"""
