"""Answers from noisy numbers, and forecasts of them. PUBLIC.

``answer``         an answer, and how its numbers are shown
``numbers``        numbers with intervals and average errors
``ratio``          means and shares from a noisy pair
``totals``         noisy totals, and the law of their noise
``noisy_moments``  the noisy matrix of sums of products, and the law of its noise
``moments``        answers from noisy sums of products
``figure_checks``  yes or no to a claimed figure
``quantiles``      answers from noisy choices and trees of values
``answers``        answers from noisy totals
"""
