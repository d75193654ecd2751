"""Private drafts of a declaration: the request, and conclusions from noisy counts. PUBLIC.

The private half is `synth.private.counting.cell_shapes` and `synth.private.queries.drafts`;
`synth.spending.draft` opens the door.

``candidates``  declared lists: spellings of missing values, sentinels, values, formats of dates
``shapes``      the shapes of a column: every cell has exactly one
``steps``       steps between two bounds, for a second, closer look at bounds
``request``     the columns, the guarantee and its shares
``hopes``       what a draft can't expect to settle, by public numbers
``seen``        cells that exceed the noise
``columns``     a drafted column and its field, by noisy or exact counts
``findings``    the kind of a column, from its shapes
``drafted``     fields, open columns, and the cost
"""
