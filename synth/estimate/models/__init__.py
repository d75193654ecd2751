"""A table of many columns, by marginals. PUBLIC.

``moment_queries``  measured sums of numbers
``choosing``        the choice of *auto*
``allocation``      budget and noise
``splitting``       the split between columns and pairs
``rules``           rules that every row obeys
``taken_rules``     those that a look at the rows proposed
``public_source``   statement about a public table
``public_guess``    a public table as a guess
``evidence``        everything from the door
``followers``       columns that follow from others
``associating``     strong enough associations
``corrected_guess`` the error of a public guess
``exact_columns``   rows with the repaired columns
``arithmetic``      how this machine rounds
``junction``        junction trees
``inference``       their marginals
``estimate``        their fit
``junction_rows``   their rows
``latent_classes``  a few kinds of rows
``pairwise``        pairs around the classes
``refine_parts``    rows that fit marginals
``large_rows``      rows in parts
``spilled_codes``   codes in a file, if they are many
``spark_rows``      rows on Spark's workers
"""
