"""A table of many columns, by marginals. PUBLIC but for `session`, `strategies` and `run`.

``choice``          what the steward chose, and what is refused at once
``names``           methods and strategies by name, and what is public of each
``choosing``        how *auto* chooses, and what comes of a strategy
``allocation``      who gets how much of the budget
``rules``           what cannot be, true of every row drawn
``public_guess``    a public table as the guess that noisy counts correct
``evidence``        what came out of the door
``session``         the rows, the door and the evidence of a release under way (PRIVATE)
``strategies``      from the budget to rows (PRIVATE)
``run``             a release by marginals, from rows to rows (DOOR)
``record``          what was measured and paid, for the certificate
``reconstruct``     the model, put together again from that record
``junction``        which columns must be modelled together
``inference``       marginals of a junction tree
``estimate``        potentials whose marginals are closest to those measured
``junction_rows``   rows drawn from a junction tree
``latent_classes``  all pairs explained by a few kinds of rows
``pairwise``        every pair repaired around the classes
``refine_rows``     single cells changed until the marginals fit
"""
