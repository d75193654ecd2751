"""Real against synthetic, in detail. PRIVATE.

``answers``          the real answers to questions
``distances``        the comparison in numbers
``tables``           both tables as codes, and the shares that stand between them
``error_sources``    which part of the error is binning, which noise, which drawing
``numeric_columns``  values within the bins
``associations``     how strongly columns are associated
``subgroups``        how far off each group is
``error_bars``       whether error bars cover what they should
``derived_columns`` columns that follow from others, and real rows that disagree
``public_guesses``   the public table that was the guess, beside the release
``repairs``          the real errors of all repairs of the same noisy counts
``classifier``       trained on synthetic rows, tested on real ones
``figures``          the pictures
``report``           the internal report
"""
