"""How a machine rounds."""

import pytest

from synth.estimate import rounding_digest
from tests.processes import run

SAY = "from synth.estimate.models.arithmetic import rounding_digest; print(rounding_digest())"
PLAIN = "AVX512F AVX512CD AVX512_SKX AVX512_CLX AVX512_CNL AVX512_ICL AVX512_SPR AVX2 FMA3"


def digest_of_a_process(**environment: str) -> str:
    """The digest in a process of its own."""
    return run(SAY, **environment).stdout.strip()


@pytest.mark.parametrize("threads", "123")
def test_it_is_the_same_on_one_machine_whatever_its_threads(threads: str) -> None:
    """Sums depend on how many threads share them, so these have one, as all that decides
    rows.
    """
    several = f"from synth.util import one_thread; one_thread.threads = {threads}; {SAY}"
    settings = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), threads)
    assert run(several, **settings).stdout.strip() == rounding_digest()


def test_it_tells_kinds_of_processors_apart() -> None:
    """Where this one has what older ones lack; NumPy takes the names of features it may not
    use.
    """
    older = digest_of_a_process(NPY_DISABLE_CPU_FEATURES=PLAIN, OPENBLAS_CORETYPE="Nehalem")
    import numpy as np

    features = np.show_config(mode="dicts")["SIMD Extensions"].get("found", [])  # type: ignore[index]
    assert (older != rounding_digest()) == bool(
        set(PLAIN.split()) & set(features) or "X86_V3" in features
    )
