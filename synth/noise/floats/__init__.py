"""Laws of noise in floats: they describe noise and never draw it. PUBLIC.

``law``           interface of the law of one noisy number
``sums``          independently noisy numbers, and their sums
``laplace``       the discrete Laplace law
``laplace_sums``  weighted sums of very many Laplace numbers
``gaussian``      the discrete Gaussian law
``knorm``         one coordinate of K-norm noise
``blends``        weighted sums of noise of several laws
``matrices``      the norm of a symmetric noise matrix
``choices``       how far a choice may fall short
"""
