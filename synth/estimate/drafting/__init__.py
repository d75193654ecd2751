"""Drafts of a declaration with a guarantee: what is asked, and what noisy counts say. PUBLIC.

The private half is `synth.private.counting.cell_shapes` and `synth.private.queries.drafts`, the
door `synth.spending.draft`.

``candidates``  declared lists: spellings of missing values, sentinels, values, formats of dates
``shapes``      the shapes of a column: every cell has one, and only one
``steps``       steps between two bounds, on which bounds are looked for more closely
``request``     the columns, the guarantee and how it is shared out
``hopes``       what cannot be hoped to be settled, by public numbers
``seen``        what stands out of the noise
``columns``     a column that is drafted, and its field; so is that of an exact look
``findings``    what the shapes of a column say it is
``drafted``     fields, what stays open, and what was paid
"""
