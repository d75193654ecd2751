"""From noisy counts to a distribution over cells. PUBLIC. All of it is post-processing.

``histogram``        repairs of a histogram
``comparing``        all repairs side by side
``simplex``          nearest non-negative vector
``ranges``           sums over ranges kept
``empirical_bayes``  law of the true counts
``pooling``          counts and guesses combined
``smoothing``        pooling with neighbouring cells
``column``           repair of one column
``marginal``         repair around a guess
``record``           record of a release by histogram
``assumed_table``    usual tables
``cell_effects``     effect on one cell
"""
