"""``make test-portable``: the notebooks once more, as other machines would compute them, and the solvers on other matrix kernels.

Each machine is emulated by telling the libraries that multiply and add which instructions they may use. That covers the processors of
the x86 family; ARM is untried, and nothing here can stand in for it.
"""

import os
import platform
import subprocess
import sys
from pathlib import Path

# What PyTorch's own kernels, MKL, OpenBLAS (NumPy and SciPy) and oneDNN may use.
LIBRARIES = ("ATEN_CPU_CAPABILITY", "MKL_ENABLE_INSTRUCTIONS", "OPENBLAS_CORETYPE", "ONEDNN_MAX_CPU_ISA")
THREADS = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS")
MACHINES = {
    "oldest": dict(zip(LIBRARIES, ("default", "SSE4_2", "Nehalem", "SSE41"))),
    "avx2": dict(zip(LIBRARIES, ("avx2", "AVX2", "Haswell", "AVX2"))),
    "avx512": dict(zip(LIBRARIES, ("avx512", "AVX512", "SkylakeX", "AVX512_CORE"))),
    "threads": dict.fromkeys(THREADS, "4"),
}
# OpenBLAS's kernels for three families of processors. They round differently, and a solver that stalls may do so on one of them alone.
KERNELS = ("Haswell", "SkylakeX", "Zen")
SOLVERS = "tests/fairfl/rules/test_min_norm.py"
NEEDS = {
    "avx2": "avx2",
    "avx512": "avx512f",
    "Haswell": "avx2",
    "SkylakeX": "avx512f",
    "Zen": "avx2",
}  # the processor's flag without which a machine cannot be emulated
ROOT = Path(__file__).parents[1]


def flags() -> set[str]:
    """The instruction sets of this processor, as Linux names them; empty where nobody says."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return set()
    return next((set(line.partition(":")[2].split()) for line in lines if line.startswith("flags")), set())


def missing(machine: str) -> str:
    """Why this computer cannot stand in for ``machine``; "" if it can."""
    if machine != "threads" and platform.machine().lower() not in ("x86_64", "amd64"):
        return f"this is {platform.machine()}, and the emulation knows the x86 family only"
    if machine in NEEDS and NEEDS[machine] not in flags():
        return f"this processor has no {NEEDS[machine]}"
    return ""


def command(arguments: list[str]) -> list[str]:
    """The pytest call that compares every notebook's text output with what is stored."""
    return [
        sys.executable,
        "-m",
        "pytest",
        "-n2",
        "--dist",
        "loadfile",
        "-q",
        "--nbval",
        "--nbval-current-env",
        "--nbval-sanitize-with",
        str(ROOT / "tests" / "nbval.cfg"),
        *(arguments or [str(ROOT / "chapters")]),
    ]


def main(given: list[str]) -> int:
    """Run the machines named in ``given`` (none: all), on the notebooks named there (none: all), and with "kernels", or where no machine
    is named, the tests of the solvers under each of ``KERNELS``. 0 if nothing differs.
    """
    asked = [name for name in given if name in MACHINES]
    kernels = list(KERNELS) if "kernels" in given or not asked else []
    asked = asked or ([] if "kernels" in given else list(MACHINES))
    notebooks = [name for name in given if name not in MACHINES and name != "kernels"]
    wrong = [name for name in notebooks if not Path(name).exists()]
    if wrong:
        print(
            f"no machine and no notebook is called {wrong[0]!r}; machines: {', '.join(MACHINES)}, kernels",
            file=sys.stderr,
        )
        return 2
    told = {}
    for machine in asked:
        if reason := missing(machine):
            told[machine] = f"skipped: {reason}"
            continue
        settings = MACHINES[machine]
        print(f"\n{machine}: {' '.join(f'{k}={v}' for k, v in settings.items())}", flush=True)
        here = {name: value for name, value in os.environ.items() if name not in LIBRARIES}
        failed = subprocess.run(command(notebooks), cwd=ROOT, env=here | settings).returncode
        told[machine] = "differs from what is stored" if failed else "the same outputs"
    for kernel in kernels:
        if reason := missing(kernel):
            told[kernel] = f"skipped: {reason}"
            continue
        print(f"\nthe solvers on {kernel}'s kernels", flush=True)
        run = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", SOLVERS]
        failed = subprocess.run(run, cwd=ROOT, env={**os.environ, "OPENBLAS_CORETYPE": kernel}).returncode
        told[kernel] = "differs: a solver fails" if failed else "the solvers pass"
    print(*(f"{machine}: {said}" for machine, said in told.items()), "ARM: untried", sep="\n")
    return int(any(said.startswith("differs") for said in told.values()))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
