# %% [markdown]
# # In a pipeline
#
# Use `fit` and `sample` as in other libraries, with a ledger that keeps the budget.

# %%
import pandas as pd

import synth

frame = pd.DataFrame({"age": [20, 40, 60, 80] * 2500, "sex": ["f", "m"] * 5000})
age = synth.Integer(18, 97, edges=[18, *range(20, 95, 5), 97])
domain = synth.Domain(age=age, sex=["f", "m"])
model = synth.Synthesizer(domain, epsilon=1, ledger=False).fit(frame)
model.sample(3)

# %% [markdown]
# This model spent outside any ledger (`ledger=False`). To sample again costs nothing, but a
# second `fit` spends again, and says so. With a ledger, the same request returns the same
# release, and Synth refuses a spend that exceeds the budget.

# %%
with synth.Ledger("pipeline.db") as ledger:
    synth.release(frame, domain, epsilon=1, ledger=ledger, dataset="staff", budget=1)
    again = synth.release(frame, domain, epsilon=1, ledger=ledger, dataset="staff")
    print(again.repeated)
