"""Quantiles, and the best of several conditions: answers chosen among candidates. PUBLIC.

``values``   the values that quantiles are chosen among
``aims``     the target ranks, and their shares of the budget
``choices``  ways to choose, and their costs
``trees``    a noisy tree over the values, for many quantiles at once
``reading``  quantiles and candidates from the choices
"""
