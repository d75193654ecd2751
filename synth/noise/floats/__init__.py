"""Laws of noise in floats: to describe noise, never to draw it. PUBLIC.

``law``           what every law of one noisy number answers, and what is read off it
``sums``          laws of numbers that are noisy by themselves, and of their sums
``laplace``       the discrete Laplace law
``laplace_sums``  weighted sums of very many Laplace numbers at once
``gaussian``      the discrete Gaussian law
``knorm``         one coordinate of K-norm noise
``blends``        weighted sums of noise of several laws
``matrices``      how large a symmetric matrix of noise may be
``choices``       how far a choice may be from the best candidate
"""
