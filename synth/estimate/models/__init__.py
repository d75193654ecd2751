"""A table of many columns, by marginals. PUBLIC.

``choice``          what the steward chose, and what is refused at once
``moment_queries``  which sums of numbers are measured, and their part of the budget
``names``           methods by name, and what rows may favour
``choosing``        how *auto* chooses, and what comes of a strategy
``allocation``      who gets how much of the budget
``splitting``       columns or pairs: what each is worth, and who gets what
``rules``           what cannot be, true of every row drawn
``public_source``   which public table was the guess, and who vouches for it
``public_guess``    a public table as the guess that noisy counts correct
``evidence``        what came out of the door
``followers``       columns that follow from another one, or nearly
``associating``     pairs as strongly associated as their noisy counts say
``corrected_guess`` how far off a public guess is, and what follows from it
``record``          what was measured and paid, for the certificate
``exact_columns``   cells changed until columns have the repaired counts, to the row
``arithmetic``      how this machine rounds
``reconstruct``     the model, put together again from that record
``junction``        which columns must be modelled together
``inference``       marginals of a junction tree
``estimate``        potentials whose marginals are closest to those measured
``junction_rows``   rows drawn from a junction tree
``latent_classes``  all pairs explained by a few kinds of rows
``pairwise``        every pair repaired around the classes
``refine_rows``     single cells changed until the marginals fit
``refine_parts``    the same of one part of a large table
``spilled``         codes of more rows than memory should hold
``large_rows``      rows of large tables, in parts
``spark_rows``      the same where Spark's workers hold the parts
"""
