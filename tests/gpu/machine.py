"""The machine that gpu-check runs on: what it is, and what nvidia-smi says about its GPUs."""

import os
import platform
import shutil
import subprocess
import time

# Named because they change what is measured; others are nobody's business.
_TELLING = ("CUDA_", "WARMINIT_", "NVIDIA_VISIBLE_DEVICES", "NVIDIA_DRIVER_CAPABILITIES")
_GPU_FIELDS = ("index", "name", "driver_version", "persistence_mode", "compute_mode",
               "mig.mode.current", "memory.total", "memory.used")


class NvidiaSmi:
    """nvidia-smi, or its absence: then every answer is None."""

    def __init__(self, wanted):
        self._path = shutil.which("nvidia-smi") if wanted else None

    def _query(self, what):
        if self._path is None:
            return None
        try:
            done = subprocess.run([self._path, what, "--format=csv,noheader,nounits"],
                                  capture_output=True, text=True, timeout=30, check=False)
        except (OSError, subprocess.TimeoutExpired):
            return None
        if done.returncode != 0:
            return None
        return [[cell.strip() for cell in line.split(",")] for line in done.stdout.splitlines()]

    def gpus(self):
        rows = self._query("--query-gpu=" + ",".join(_GPU_FIELDS))
        return rows and [dict(zip(_GPU_FIELDS, row)) for row in rows]

    def used_mib(self):
        """The memory in use on all GPUs together."""
        rows = self._query("--query-gpu=memory.used")
        if not rows or not all(_number(row[0]) for row in rows):
            return None
        return sum(int(row[0]) for row in rows)

    def used_mib_by(self, pids):
        """The memory of these processes; None if nvidia-smi lists none of them."""
        rows = self._query("--query-compute-apps=pid,used_memory") or []
        used = [int(row[1]) for row in rows
                if len(row) == 2 and _number(row[0]) and int(row[0]) in pids and _number(row[1])]
        return sum(used) if used else None


def _number(text):
    return text.isdigit()


def has_nvidia_device():
    """False where no driver, however it is called, can be a real one (Linux, WSL 2, Tegra)."""
    return any(map(os.path.exists, ("/dev/nvidiactl", "/dev/dxg", "/dev/nvhost-ctrl-gpu")))


def describe(smi):
    return {
        "gpus": smi.gpus(),
        "kernel": platform.release(),
        "architecture": platform.machine(),
        "cpus": len(os.sched_getaffinity(0)),
        "python": platform.python_version(),
        "date_utc": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "environment": {k: "(a path)" if "/" in v else v
                        for k, v in sorted(os.environ.items()) if k.startswith(_TELLING)},
    }
