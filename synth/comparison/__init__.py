"""Real against synthetic, in detail. PRIVATE but for `repairs` (public part), `bars` and `score`.

``seen``          both tables as codes, and what stands between them: the shares after the noise
``split``         which part of the error is binning, left-out rows, noise and drawing
``within``        values within the bins: what cutting a number into bins loses
``associations``  how strongly columns hang together, real and synthetic
``groups``        error within subgroups, and small groups that are lost
``bars``          error bars, and whether they cover what they should
``repairs``       all repairs of the same noisy counts, side by side
``training``      a classifier trained on synthetic rows and tested on real ones
``score``         one number that is bought with a little epsilon, and then public
"""
