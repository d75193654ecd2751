"""Strategies for many questions at once: what is measured, so that all answers err little. PUBLIC.

``moves``            how far one row moves what is measured
``strategy``         what a strategy can do, whichever it is
``small_universes``  the cells that counts tell apart, by groups of counts that share columns
``hierarchy``        noisy nodes of a tree over ordered cells, and the counts that agree with them
``descent``          the least value of a smooth function, by a fixed number of steps
``fitted``           cells and weighted sums of cells, fitted to the questions
``pieces``           trees or fitted sums of several small universes, measured together
``closed_form``      which residuals of tables are measured, and how heavily
``marginals``        tables of few columns each, measured as residuals
``offered``          the strategies that are ways to answer a block
"""
