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
    """The digest of how a machine rounds is the same for any number of threads.

    Sums depend on how many threads share them, so that these sums, as all that decides rows,
    have one thread. `SAY` prints the digest in a process of its own.
    """
    program = f"from synth.util import one_thread; one_thread.threads = {threads}; {SAY}"
    environment = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), threads)
    assert run(program, **environment).stdout.strip() == rounding_digest()


def test_it_tells_kinds_of_processors_apart() -> None:
    """The digest differs on an older processor, which adds numbers in another order.

    The older one is simulated: NumPy and OpenBLAS may not use the newer instructions in
    `PLAIN`. If this machine has none of them itself, both digests are the same.
    """
    older = digest_of_a_process(NPY_DISABLE_CPU_FEATURES=PLAIN, OPENBLAS_CORETYPE="Nehalem")
    import numpy as np

    features = np.show_config(mode="dicts")["SIMD Extensions"].get("found", [])  # type: ignore[index]
    assert (older != rounding_digest()) == bool(
        set(PLAIN.split()) & set(features) or "X86_V3" in features
    )
