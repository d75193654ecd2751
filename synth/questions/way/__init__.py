"""One way to answer a block, and the arrangement of all blocks. PUBLIC.

``strategy``     the interface of a strategy, and how far one row moves its numbers
``way``          a way to answer a block, and its noise
``arrangement``  all blocks with their ways, and what they cost
"""
