"""The functions that `import synth` gives. FRONT.

They use the pipeline, the door and the ledger of the command line. `synth.__all__` lists the names;
each is imported on first use.

``opening``      a file that is to be read in a declared way
``releasing``    ``release``, ``open_bundle`` and what they give
``linking``      ``release_linked``: tables that hang together by keys
``synthesizer``  the same as ``fit`` and ``sample``
``drawing``      ``dummy`` and ``draw``: rows at no cost, which are no release
``drafting``     ``draft``: a declaration, with a guarantee or for free
``checking``     ``check``: how many rows fit a declaration
``asking``       ``ask`` and its answers
``analysing``    ``analyse``: conclusions from a bundle
``functions``    your own functions of synthetic rows, with intervals
``replicating``  ``replicates``: tables for multiple imputation
``comparing``    ``compare``: the private error of a release
``forecasting``  ``forecast`` and ``verify``: they need no private rows
``frames``       synthetic rows as a DataFrame
``spending``     the arguments of all functions that spend budget
"""
