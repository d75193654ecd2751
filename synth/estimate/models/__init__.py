"""A table of many columns, by marginals. PUBLIC.

``choice``          the steward's choices about the model, checked
``moment_queries``  which sums of numbers are measured, and their share of the budget
``names``           methods by name, and what rows may favour
``choosing``        how *auto* chooses a method
``allocation``      how the budget is split
``splitting``       the split between columns and pairs
``rules``           rules that every drawn row obeys
``public_source``   the public table used as a guess, and who vouches for it
``public_guess``    a public table as a guess that noisy counts correct
``evidence``        everything that came through the door
``followers``       columns that (nearly) follow from another one
``associating``     pairs as strongly associated as their noisy counts say
``corrected_guess`` the error of a public guess, and its consequences
``record``          the measurements and payments, for the certificate
``exact_columns``   changes cells until columns have the repaired counts, to the row
``arithmetic``      how this machine rounds
``reconstruct``     the model, rebuilt from that record
``junction``        columns that must be modelled together
``inference``       marginals of a junction tree
``estimate``        potentials whose marginals are closest to the measured ones
``junction_rows``   rows drawn from a junction tree
``latent_classes``  all pairs explained by a few kinds of rows
``pairwise``        every pair repaired around the classes
``refine_rows``     changes single cells until the marginals fit
``refine_parts``    the same for one part of a large table
``spilled``         codes of more rows than fit in memory
``large_rows``      rows of large tables, in parts
``linked_model``    linked tables, drawn one after another
``spark_rows``      the same on Spark's workers
"""
