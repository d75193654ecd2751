"""Exact noise: integers drawn from discrete laws with the operating system's randomness. PUBLIC.

``mechanism``       what every mechanism answers
``known``           the mechanisms that a door draws from, by name
``bits``            the only seam to randomness
``sampler``         one exact sampler for every law: lazy inversion
``laws``            the laws, as certified enclosures
``laplace``         the discrete Laplace mechanism
``floats``          laws of noise in floats: to describe it, never to draw it
``gaussian``        the discrete Gaussian mechanism
``coins``           many coins at once, by floats where they decide
``exponential``     selection: the exponential mechanism and permute-and-flip
``grouped``         selection where runs of candidates have the same score
``partitions``      which values have enough rows to be named
``knorm``           K-norm noise on the integer lattice
``radius``          the radius of K-norm noise
``exceedances``     the cells of a huge universe whose noise alone reaches a threshold
"""
