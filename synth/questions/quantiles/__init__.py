"""Quantiles, and the best of several conditions: answers that are one of candidates. PUBLIC.

``values``   the values that quantiles are chosen among
``aims``     which ranks are aimed at, by which part of the budget
``choices``  ways to choose, and what they cost
``trees``    a noisy tree over the values, for many quantiles at once
``reading``  quantiles and candidates read off what was chosen
"""
