"""Private drafts of a declaration: the request, and conclusions from noisy counts. PUBLIC.

The private half is `synth.private.counting.cell_shapes` and `synth.private.queries.drafts`.

``candidates``  lists of values
``shapes``      shapes of cells
``steps``       steps between bounds
``request``     columns and guarantee
``hopes``       expectations
``seen``        cells that exceed the noise
``columns``     a drafted column
``findings``    the kind of a column
``drafted``     the result
"""
