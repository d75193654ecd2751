"""Questions to a table: what is asked, never what is answered. PUBLIC.

``knorm_laws``  the law of K-norm noise, one coordinate or the largest
``laws``        the exact law of one noisy number
``reach``       how far noise takes an answer: half widths, expected errors
``ratio``       means and shares of a noisy pair, with their intervals
``top``         the candidates that may be among the most frequent
"""
