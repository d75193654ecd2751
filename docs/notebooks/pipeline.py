# %% [markdown]
# # In a pipeline
#
# Use `fit` and `sample` as in other libraries, with a ledger that keeps the budget.

# %%
import pandas as pd

import synth

frame = pd.DataFrame({"age": [20, 40, 60, 80] * 2500, "sex": ["f", "m"] * 5000})
domain = synth.Domain(age=synth.Integer(18, 97, bins=16), sex=["f", "m"])
model = synth.Synthesizer(domain, epsilon=1).fit(frame)
print(model.sample(3))

# %% [markdown]
# To sample again costs nothing. A second `fit` spends again, and says so. With a ledger, the
# same request returns the same release, and Synth refuses a spend that exceeds the budget.

# %%
with synth.Ledger("pipeline.db") as ledger:
    synth.release(frame, domain, epsilon=1, ledger=ledger, dataset="staff", budget=1)
    again = synth.release(frame, domain, epsilon=1, ledger=ledger, dataset="staff")
    print(again.repeated)
