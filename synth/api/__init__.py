"""What `import synth` gives: the whole package as a few functions. FRONT.

Everything goes through the same pipeline, the same door and the same ledger as the command line;
`synth.__all__` lists the names, which are imported when they are first used.

``opening``      a file that is to be read in a declared way
``releasing``    ``release``, ``open_bundle`` and what they give
``linking``      ``release_linked``: tables that hang together by keys
``synthesizer``  the same as ``fit`` and ``sample``
``drawing``      ``dummy`` and ``draw``: rows at no cost, which are no release
``drafting``     ``draft``: a declaration, with a guarantee or for free
``checking``     ``check``: how many rows fit a declaration
``asking``       ``ask`` and its answers
``analysing``    ``analyse`` and its conclusions: what a bundle says
``functions``    functions that a user writes, with intervals
``replicating``  ``replicates``: tables for rules of multiple imputation
``comparing``    ``compare``: what it shows is private
``forecasting``  ``forecast`` and ``verify``: what needs no rows
``frames``       synthetic rows as a DataFrame
``spending``     the choices that all spends share
"""
