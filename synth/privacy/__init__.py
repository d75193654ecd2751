"""What is promised, and what it costs, in exact rationals. PUBLIC.

``guarantee``    neighbours, the protected unit, epsilon and delta
``readings``     what counts as a row of the table
``accounting``   Gaussian noise and compositions in epsilon, delta and rho
``gaussian_dp``  Gaussian differential privacy: costs of discrete noise, and what they come to
``budget``       the most that may ever be spent on a dataset
``composition``  what many spends come to together, enforced or had they been fixed in advance
``sharing``      a guarantee shared out by weights, and told at another delta
``loss``         the privacy loss of discrete mechanisms, exact
``sensitivity``  how far one person moves an answer about the rows
"""
