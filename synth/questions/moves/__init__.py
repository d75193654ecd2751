"""How far one person moves sums of rows together: the sensitivity of counts and sums. PUBLIC.

``terms``       a workload as vectors over atoms
``grid``        the cells that terms distinguish
``patterns``    the vectors of these cells
``relaxation``  bounds of large components
``extents``     largest moves of a component
``distances``   the largest distance of two rows' vectors
``joint``       how far one person moves all terms together
"""
