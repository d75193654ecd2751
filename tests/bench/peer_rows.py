"""Synthetic rows by another's code; run by `bench_holes` in a venv of that code's own.

    python peer_rows.py NAME EPSILON TABLE.npz DRAWN.npz FOLDER

It imports nothing of Synth. Set up once in FOLDER, each venv by `python -m venv NAME`:

- pgm: ryan112358/private-pgm as src-pgm (4d2b3c5), `pgm/bin/pip install ./src-pgm matplotlib
  "pandas<3" jax==0.7.0 jaxlib==0.7.0 optax==0.2.5 chex==0.1.90` (it fails on newer ones);
- torch: microsoft/DPSDA as src-dpsda (9078c67), KaiChen9909/margnet as src-margnet (8b75032)
and
  bcmullins/efficient-marginal-reconstruction as src-rem (ab6375f), `torch/bin/pip install
  torch pandas scikit-learn scipy networkx tqdm tomli omegaconf==2.3.0 tenacity matplotlib
  generalimport linear_operator clean-fid torchvision openai gdown xgboost POT blobfile
  imageio`.

Models of AIM are at most `MODEL_MB`, and it has `ROUNDS` a column: its 80 and 16 take hours.
MargNet has its settings for tables with many relations. Tab-PE has those of its examples, and
the last column as the label, whose shares its code takes for public. GReM answers pairs
without rows, so only its error of pairs comes back. No public code was found of AIM+GReM and
of GEM+ (November 2026)."""

import sys
import tempfile
import types
from itertools import combinations
from pathlib import Path
from typing import Any
from unittest.mock import MagicMock

import numpy as np
import pandas as pd

DELTA, MODEL_MB, ROUNDS = 1e-9, 4, 4
SAMPLES, ITERATIONS = 1_000, 20
"""Of Tab-PE, as in its examples."""


def aim(codes: Any, sizes: list[int], epsilon: float, folder: Path) -> Any:
    """All pairs as the workload, by the graphical model of its authors."""
    dataset = marginals(codes, sizes, folder)
    import aim as code

    rounds = ROUNDS * len(sizes)
    mechanism = code.AIM(epsilon, DELTA, np.random, rounds, max_model_size=MODEL_MB)
    workload = [(pair, 1.0) for pair in combinations(dataset.domain.attributes, 2)]
    _, synthetic = mechanism.run(dataset, workload)
    return synthetic.df.to_numpy()


def mst(codes: Any, sizes: list[int], epsilon: float, folder: Path) -> Any:
    """A maximum spanning tree of pairs."""
    dataset = marginals(codes, sizes, folder)
    import mst as code

    return code.MST(dataset, epsilon, DELTA).df.to_numpy()


def marginals(codes: Any, sizes: list[int], folder: Path) -> Any:
    """The table as private-pgm takes it."""
    sys.path.insert(0, str(folder / "src-pgm" / "mechanisms"))
    from mbi import Dataset, Domain

    names = [f"c{i}" for i in range(len(sizes))]
    return Dataset(pd.DataFrame(codes, columns=names), Domain(names, sizes))


def tabpe(codes: Any, sizes: list[int], epsilon: float, folder: Path) -> Any:
    """Private Evolution: rows that many real rows are near to survive, and vary."""
    sys.path.insert(0, str(folder / "src-dpsda"))
    stand_ins()
    from pe.api.tabular.tabular_api import TabularAPI
    from pe.data.tabular.tabular_csv import TabularColumnType, TabularCSV
    from pe.embedding.tabular.tabular_embedding import TabularEmbedding
    from pe.histogram import NearestNeighbors
    from pe.population import CompositePopulation, PEPopulation
    from pe.runner import PE

    names = [f"c{i}" for i in range(len(sizes))]
    with tempfile.TemporaryDirectory() as temporary:
        table, words = Path(temporary) / "table.csv", Path(temporary) / "words.json"
        pd.DataFrame(codes, columns=names).to_csv(table, index=False)
        columns_by_kind = {
            "cat_columns": names[:-1],
            "label_columns": names[-1:],
            "int_columns": [],
        }
        words.write_text(str({**columns_by_kind, "float_columns": []}).replace("'", '"'))
        private = TabularCSV(str(table), str(words))
    cells = {
        name: {"categories": list(range(size)), "type": TabularColumnType.CATEGORICAL}
        for name, size in zip(names[:-1], sizes, strict=False)
    }
    api = TabularAPI(cells, num_iterations=ITERATIONS)
    first = PEPopulation(api, histogram_threshold=0)
    later = PEPopulation(api, None, 3, 3, keep_selected=True, selection_mode="rank")
    near = NearestNeighbors(TabularEmbedding(cells), "L2", 0, backend="torch")
    steps = CompositePopulation([first] * 5 + [later] * (ITERATIONS - 5))
    population = PE(private, steps, near).run(
        [SAMPLES] * ITERATIONS, DELTA, epsilon, save_checkpoint=False
    )
    frame = population.data_frame
    frame = frame[frame["PE.VARIATION_API_FOLD_ID"] == -1]
    labels = [info["column_values"][names[-1]] for info in private.metadata["label_info"]]
    rows = np.array(frame["PE.TABULAR"].tolist()).astype(int)
    last = np.array(labels)[frame["PE.LABEL_ID"].to_numpy().astype(int)]
    return np.column_stack((rows, last))


def stand_ins() -> None:
    """Private Evolution imports its kinds for images and texts as well."""
    extractor = "fld.features.InceptionFeatureExtractor"
    for name in ("azure", "azure.identity", "clip", "fld", "fld.features", extractor):
        sys.modules.setdefault(name, MagicMock())


def margnet(codes: Any, sizes: list[int], epsilon: float, folder: Path) -> Any:
    """A generator network trained on pairs that it chooses one by one."""
    sys.path.insert(0, str(folder / "src-margnet"))
    import torch

    stand = types.ModuleType("method.privsyn.PrivSyn.privsyn")
    vars(stand)["PrivSyn"] = None
    sys.modules[stand.__name__] = stand
    from method.AIM.cdp2adp import cdp_rho
    from method.MargDL.main import MargDLGen

    torch.cuda.reset_peak_memory_stats = torch.cuda.max_memory_allocated = lambda **_: 0
    names = [f"c{i}" for i in range(len(sizes))]
    settings = {
        "train": {
            "selection_iterations": 200,
            "final_iterations": 200,
            "lr": 0.001,
            "batch_size": 512,
        },
        "model_params": {"d_layers": [256, 256], "dropout": 0.0},
    }
    options = types.SimpleNamespace(
        iter=None, lr=None, batch=None, test=False, resample=False
    )
    domain = dict(zip(names, sizes, strict=True))
    with tempfile.TemporaryDirectory() as temporary:
        table = pd.DataFrame(codes, columns=names)
        generator = MargDLGen(options, table, domain, "cpu", settings, temporary, "gan")
        generator.fit_adaptive(cdp_rho(epsilon, DELTA))
        return generator.model.sample(len(codes))


def grem(codes: Any, sizes: list[int], epsilon: float, folder: Path) -> Any:
    """The error of pairs by ResidualPlanner, cut at zero and scaled."""
    sys.path.insert(0, str(folder / "src-rem" / "src"))
    from rem.cdp2adp import cdp_rho
    from rem.dataset import Dataset
    from rem.domain import Domain
    from rem.mechanism import residualPlanner

    names = [str(i) for i in range(len(sizes))]
    data = Dataset(pd.DataFrame(codes, columns=names), Domain(names, sizes))
    pairs = list(combinations(names, 2))
    answers = residualPlanner(data, pairs, cdp_rho(epsilon, DELTA)).getMarginals()
    errors = []
    for pair, answer in zip(pairs, answers, strict=True):
        real, positive = data.project(pair).datavector(), np.maximum(np.asarray(answer), 0)
        errors.append(np.abs(real / real.sum() - positive / positive.sum()).sum() / 2)
    return float(np.mean(errors))


if __name__ == "__main__":
    name, epsilon, table, rows_file, folder = sys.argv[1:]
    arrays = np.load(table)
    rows_or_error = {
        "aim": aim,
        "mst": mst,
        "tabpe": tabpe,
        "margnet": margnet,
        "grem": grem,
    }[name](
        arrays["codes"].astype(int), arrays["sizes"].tolist(), float(epsilon), Path(folder)
    )
    np.savez(
        rows_file, **{"pairs" if isinstance(rows_or_error, float) else "codes": rows_or_error}
    )
