"""Strategies for many questions at once: what to measure for small errors of all answers. PUBLIC.

``moves``            how far one row moves the measured numbers
``strategy``         the interface of a strategy
``small_universes``  the cells that counts distinguish, by groups of counts that share columns
``hierarchy``        noisy nodes of a tree over ordered cells, and consistent counts
``descent``          the minimum of a smooth function, by a fixed number of steps
``fitted``           cells and weighted sums of cells, fitted to the questions
``pieces``           trees or fitted sums of several small universes, measured together
``closed_form``      which residuals of tables are measured, with which weights
``marginals``        tables of few columns each, measured as residuals
``offered``          the strategies that are ways to answer a block
"""
