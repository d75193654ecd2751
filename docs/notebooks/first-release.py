# %% [markdown]
# # A first release
#
# A table in memory, a domain in code, one spend, and what comes of it.

# %%
import numpy as np
import pandas as pd

import synth

rng = np.random.default_rng(1)
frame = pd.DataFrame(
    {
        "sex": rng.choice(["female", "male"], 5000),
        "age": rng.integers(18, 98, 5000),
        "smoker": rng.random(5000) < 0.2,
    }
)
domain = synth.Domain(sex=["female", "male"], age=synth.Integer(18, 97, bins=16), smoker=bool)

# %% [markdown]
# What epsilon 1 will buy, before anything is spent:

# %%
print(synth.forecast(domain, rows=5000, epsilon=1))

# %%
made = synth.release(frame, domain, epsilon=1)
print(made)
print(made.table.head())
print(made.certificate.guarantee.statement)

# %% [markdown]
# One zip to hand on; whoever gets it can check it without the table.

# %%
made.save("first.zip")
for check in synth.verify("first.zip").checks:
    print(check)
