# %% [markdown]
# # A first release
#
# Describe a table in memory, look at the forecast, spend once, and check the result.

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
age = synth.Integer(18, 97, edges=[18, *range(20, 95, 5), 97])
domain = synth.Domain(sex=["female", "male"], age=age, smoker=bool)

# %% [markdown]
# Look at the expected error of epsilon 1 before you spend:

# %%
print(synth.forecast(domain, rows=5000, epsilon=1))

# %% [markdown]
# Now spend it. The ledger records the spend under the name of the dataset, whose budget is 3.

# %%
made = synth.release(frame, domain, epsilon=1, dataset="people", budget=3)
print(made.certificate.guarantee.statement)

# %%
made.table.head()

# %% [markdown]
# Hand on one zip file. Anyone can check it without the table.

# %%
made.save("first.zip", overwrite=True)
for check in synth.verify("first.zip").checks:
    print(check)
