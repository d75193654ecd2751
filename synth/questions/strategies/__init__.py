"""Strategies for many questions at once: what to measure for small errors of all answers.
PUBLIC.

``small_universes``  the cells that counts distinguish
``hierarchy``        a noisy tree over ordered cells
``descent``          the minimum of a smooth function
``fitted``           weighted sums of cells, fitted to the questions
``pieces``           several small universes, measured together
``closed_form``      residuals of tables, and their weights
``marginals``        tables of few columns, measured as residuals
``offered``          the strategies that are ways to answer a block
"""
