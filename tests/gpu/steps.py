"""What gpu-check measures. Each step leaves the machine as it found it, with nothing held."""

import json
import os
import statistics
import time

import proc
from child import Child, StepError

READY_SECONDS = 60
END_SECONDS = 20


class OthersHoldGpu(Exception):
    """Another process has the GPU open, so that "nothing held" would not be true."""


def _json_line(wanted_stream):
    """Accepts a line that holds a JSON object."""
    def accept(stream, line):
        if stream != wanted_stream or not line.startswith("{"):
            return None
        try:
            return json.loads(line)
        except ValueError:
            return None
    return accept


def _ready_or_failed(stream, line):
    entry = _json_line("stderr")(stream, line)
    return entry if entry and entry.get("event") in ("ready", "failed") else None


def _wait_for_first_call(child):
    """The milliseconds of first_call's steps, and when its line was read."""
    result, ready_ms = child.wait_for_line(_json_line("stdout"), READY_SECONDS, "a result")
    result["read_late_ms"] = ready_ms - child.elapsed_ms(result.pop("end_ns"))
    return result, ready_ms


class Steps:
    """The steps, and what they have in common: programs, environment, limits."""

    def __init__(self, args, smi, cache):
        self.args = args
        self.smi = smi
        self.simulated = False
        self.others = set()   # Names of strangers that had the GPU open, with --allow-others.
        self.env = dict(os.environ, CUDA_CACHE_PATH=cache)
        self.env.pop("CUDA_CACHE_DISABLE", None)
        self.library = ["--driver-library", args.driver_library] if args.driver_library else []
        self.warminit = str(args.build / "warminit")
        self.first_call_argv = [str(args.build / "first_call"), *self.library]

    # What surrounds a measurement.

    def check_nobody_holds(self):
        """Waits until nobody has the GPU open; a process of an earlier step may still be ending."""
        if self.simulated:
            return
        deadline = time.monotonic() + 10
        while users := proc.gpu_users()[0]:
            if time.monotonic() < deadline:
                time.sleep(0.05)
                continue
            names = sorted({f"{proc.name(pid) or '?'}" for pid in users})
            if not self.args.allow_others:
                raise OthersHoldGpu(f"the GPU is open in {len(users)} other process(es): "
                                    f"{', '.join(names)} (pid {', '.join(map(str, users))})")
            self.others.update(names)
            return

    def prepare(self):
        """The same state before every measurement: nothing held, and for the same time.

        Returns the GPU memory in use, in MiB.
        """
        if not self.others:
            self.check_nobody_holds()
        used = self.smi.used_mib()
        time.sleep(self.args.settle_seconds)
        return used

    def first_call(self, env=None, meanwhile=None):
        """A fresh C process makes its first GPU call; `meanwhile` runs while it keeps its context.

        `ready_ms` is seen from outside, from the start of the process to its line read.
        """
        with Child([*self.first_call_argv, "--hold"], env or self.env, True) as child:
            result, ready_ms = _wait_for_first_call(child)
            extra = meanwhile() if meanwhile else None
            child.close_input()
            code, _ = child.wait(END_SECONDS)
            if code != 0:
                raise child.error(f"exit code {code}")
        result = {"ready_ms": ready_ms, **result}
        return (result, extra) if meanwhile else result

    def more_calls(self, first):
        """Four more users after the `first`, one by one: a single cuInit beside a holder is short
        enough for an idle processor's wake-up to show. Their medians, and every call."""
        calls = [first, *(self.first_call() for _ in range(4))]
        names = [name for name, value in first.items() if isinstance(value, (int, float))]
        return {
            "first_call": {name: statistics.median(call[name] for call in calls) for name in names},
            "first_calls": calls,
        }

    def start_hold(self, level, env=None):
        argv = [self.warminit, "hold", "--hold", level, "--log-format", "json",
                "--health-interval=0s", "--socket=none", *self.library]
        return Child(argv, env or self.env)

    def wait_ready(self, child):
        entry, ready_ms = child.wait_for_line(_ready_or_failed, READY_SECONDS, 'the event "ready"')
        if entry["event"] == "failed":
            raise child.error("says that it failed")
        return ready_ms

    def stop_hold(self, child):
        """Ends it with SIGTERM; it must exit 0 and leave no process behind."""
        family = proc.descendants(child.pid)
        code, exit_ms = child.terminate(END_SECONDS)
        if code != 0:
            raise child.error(f"exit code {code} after SIGTERM")
        left = [pid for pid in family if proc.alive(pid)]
        if left:
            raise child.error(f"left {len(left)} process(es): {[proc.name(p) for p in left]}")
        return {"exit_ms": exit_ms, "exit_code": code}

    def holder_of(self, child):
        family = proc.children(child.pid)
        found = [pid for pid in family if proc.name(pid) == "warminit-holder"]
        if len(found) != 1:
            raise child.error("no single child named warminit-holder, but "
                              f"{[proc.name(pid) for pid in family]}")
        return found[0]

    def gpu_memory(self, pids, used_before):
        """What these processes take of the GPUs' memory, told in two ways."""
        by_process = self.smi.used_mib_by(pids)
        used = self.smi.used_mib()
        difference = None if used is None or used_before is None else used - used_before
        return {
            "mib": difference if by_process is None else by_process,
            "method": "difference of memory.used" if by_process is None else "per process",
            "by_process_mib": by_process,
            "difference_mib": difference,
        }

    # The steps of a round.

    def nothing(self):
        """(a), (b), (f): nothing is held."""
        used = self.prepare()
        return {"used_before_mib": used, **self.first_call()}

    def hold(self, level):
        """(c), (d): warminit holds, and a user's process comes."""
        used = self.prepare()
        with self.start_hold(level) as child:
            ready_ms = self.wait_ready(child)
            holder = self.holder_of(child)
            # Pages of the driver's library count as private only while nobody else maps it.
            held, beside = self.first_call(meanwhile=lambda: proc.memory(holder))
            result = {
                "used_before_mib": used,
                "ready_ms": ready_ms,
                "holder": proc.memory(holder),
                "holder_beside_user": beside,
                "init": proc.memory(child.pid),
                "gpu": self.gpu_memory({holder}, used),
                **self.more_calls(held),
            }
            result.update(self.stop_hold(child))
        self.check_nobody_holds()
        after = self.smi.used_mib()
        result["left_on_gpu_mib"] = None if after is None or used is None else after - used
        return result

    def python_holder(self):
        """(e): the common way, a Python process with a torch tensor."""
        used = self.prepare()
        script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "python_holder.py")
        with Child([self.args.python, script], self.env, True) as child:
            _, ready_ms = child.wait_for_line(
                lambda stream, line: True if line == "ready" else None, READY_SECONDS, '"ready"')
            held = self.first_call()
            result = {
                "used_before_mib": used,
                "ready_ms": ready_ms,
                "holder": proc.memory(child.pid),
                "gpu": self.gpu_memory({child.pid, *proc.descendants(child.pid)}, used),
                **self.more_calls(held),
            }
            child.close_input()
            code, _ = child.wait(END_SECONDS)
            if code != 0:
                raise child.error(f"exit code {code}")
        return result

    # Once per run.

    def prime(self):
        """One unmeasured start of each, so that both find their kernel in the JIT cache."""
        result = self.first_call()
        with self.start_hold("context") as child:
            self.wait_ready(child)
            self.stop_hold(child)
        return result

    def rest(self, level):
        """Wake-ups and processor time while nothing is asked of init and holder."""
        self.prepare()
        with self.start_hold(level) as child:
            self.wait_ready(child)
            family = {"init": child.pid, "holder": self.holder_of(child)}
            time.sleep(3)
            before = {role: proc.threads(pid) for role, pid in family.items()}
            started = time.monotonic()
            time.sleep(self.args.rest_seconds)
            after = {role: proc.threads(pid) for role, pid in family.items()}
            seconds = time.monotonic() - started
            ended = self.stop_hold(child)
        threads = [_difference(role, before[role].get(tid), after[role].get(tid))
                   for role in family for tid in sorted({*before[role], *after[role]})]
        return {
            "seconds": seconds,
            "ticks_per_second": os.sysconf("SC_CLK_TCK"),
            "switches": sum(t["voluntary"] + t["nonvoluntary"] for t in threads),
            "ticks": sum(t["ticks"] for t in threads),
            "threads": threads,
            **ended,
        }

    def cold_jit(self):
        """Without the JIT cache: the driver compiles the kernel at every start."""
        env = dict(self.env, CUDA_CACHE_DISABLE="1")
        bare, context = [], []
        for _ in range(3):
            self.prepare()
            bare.append(self.first_call(env))
            self.prepare()
            with self.start_hold("context", env) as child:
                ready_ms = self.wait_ready(child)
                context.append({"ready_ms": ready_ms, **self.stop_hold(child)})
        return {"bare": bare, "context": context}

    def pid1(self):
        """warminit as PID 1 of a new PID namespace: exit code, wall time beside the bare one."""
        unshare = self._unshare()
        if unshare is None:
            return {"skipped": "a PID namespace cannot be made here"}
        command = ["sh", "-c", "sleep 2; exit 7"]
        times = {"bare": [], "warminit": []}
        for _ in range(3):
            for name, before in (("bare", []), ("warminit", [self.warminit, *self.library, "--"])):
                self.prepare()
                with Child([*unshare, *before, *command], self.env) as child:
                    code, wall_ms = child.wait(READY_SECONDS)
                    if code != 7:
                        raise child.error(f"exit code {code}, not the command's 7")
                times[name].append({"wall_ms": wall_ms, "exit_code": code})
        return times

    def wait_ready_command(self):
        """A user's command that is held back until the GPUs are ready."""
        runs = []
        for _ in range(3):
            self.prepare()
            argv = [self.warminit, *self.library, "--wait-ready", "--",
                    "sh", "-c", 'exec "$0" "$@"', *self.first_call_argv]
            with Child(argv, self.env) as child:
                result, line_ms = _wait_for_first_call(child)
                code, wall_ms = child.wait(END_SECONDS)
                if code != 0:
                    raise child.error(f"exit code {code}")
            runs.append({"line_ms": line_ms, "wall_ms": wall_ms, **result})
        return runs

    def _unshare(self):
        """The command line that makes a PID namespace here, with a user namespace if it must."""
        for extra in ([], ["--user", "--map-root-user"]):
            argv = ["unshare", *extra, "--pid", "--fork", "--mount-proc", "--kill-child"]
            try:
                with Child([*argv, "true"], self.env) as child:
                    if child.wait(10)[0] == 0:
                        return argv
            except (OSError, StepError):
                pass
        return None


def _difference(role, before, after):
    nothing = {"name": "?", "voluntary": 0, "nonvoluntary": 0, "ticks": 0}
    entry = {"process": role, "thread": (after or before)["name"]}
    if before is None or after is None:
        entry["note"] = "started meanwhile" if before is None else "ended meanwhile"
        before, after = before or nothing, after or before
    for key in ("voluntary", "nonvoluntary", "ticks"):
        entry[key] = after[key] - before[key]
    return entry
