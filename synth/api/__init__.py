"""The functions that `import synth` gives. FRONT.

They use the pipeline, the door and the ledger of the command line. `synth.__all__` lists the names;
each is imported on first use.

``opening``      ``open_table``: a file with the options to read it
``releasing``    ``release``, ``open_bundle`` and their result
``linking``      ``release_linked``: tables linked by keys
``synthesizer``  a release as ``fit`` and ``sample``
``drawing``      ``dummy`` and ``draw``: rows at no cost that are not a release
``drafting``     ``draft``: a draft of the domain, with a guarantee or without
``checking``     ``check``: how many rows fit the domain
``asking``       ``ask`` and its answers
``analysing``    ``analyse``: conclusions from a bundle
``functions``    your own functions of synthetic rows, with intervals
``replicating``  ``replicates``: tables for multiple imputation
``comparing``    ``compare``: the private error of a release
``forecasting``  ``forecast`` and ``verify``: they need no private rows
``frames``       synthetic rows as a DataFrame
``spending``     the arguments of all functions that spend budget
"""
