"""Quantiles, and the best of several conditions: answers chosen among candidates. PUBLIC.

``values``   the values to choose among
``aims``     the target ranks, and their shares of the budget
``choices``  ways to choose, and their costs
``trees``    a noisy tree over the values
"""
