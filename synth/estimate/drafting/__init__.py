"""Private drafts of a declaration: the request, and conclusions from noisy counts. PUBLIC.

The private half is `synth.private.counting.cell_shapes` and `synth.private.queries.drafts`.

``candidates``  lists of values
``steps``       steps between bounds
``request``     columns and guarantee
``hopes``       expectations
``seen``        cells that exceed the noise
``findings``    the kind of a column
``drafted``     the result
"""
