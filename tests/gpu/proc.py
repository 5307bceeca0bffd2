"""What /proc says about processes: families, memory, wake-ups, and who has the GPU open."""

import os
import signal


def _read(path):
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError:
        return ""  # It ended meanwhile, or it is not ours to look at.


def _fields(text):
    """{"VmRSS": 1234, ...} of the lines "Name:  number ..."; other lines are left out."""
    fields = {}
    for line in text.splitlines():
        name, _, rest = line.partition(":")
        number = rest.split()[:1]
        if number and number[0].isdigit():
            fields[name] = int(number[0])
    return fields


def pids():
    return [int(name) for name in os.listdir("/proc") if name.isdigit()]


def name(pid):
    return _read(f"/proc/{pid}/comm").strip()


def alive(pid):
    """True while `pid` runs; a zombie does not."""
    state = _read(f"/proc/{pid}/stat").rpartition(")")[2].split()[:1]
    return bool(state) and state[0] not in ("Z", "X")


def children(pid):
    return [p for p in pids() if _fields(_read(f"/proc/{p}/status")).get("PPid") == pid]


def descendants(pid):
    found = []
    for child in children(pid):
        found += [child] + descendants(child)
    return found


def memory(pid):
    """Memory in KiB and the number of threads; None for what this kernel does not tell."""
    status = _fields(_read(f"/proc/{pid}/status"))
    rollup = _fields(_read(f"/proc/{pid}/smaps_rollup"))
    clean, dirty = rollup.get("Private_Clean"), rollup.get("Private_Dirty")
    return {
        "rss_kib": rollup.get("Rss", status.get("VmRSS")),
        "private_kib": None if clean is None or dirty is None else clean + dirty,
        "private_clean_kib": clean,
        "private_dirty_kib": dirty,
        "pss_kib": rollup.get("Pss"),
        "anonymous_kib": rollup.get("Anonymous", status.get("RssAnon")),
        "threads": status.get("Threads"),
    }


def threads(pid):
    """{tid: name, context switches so far, clock ticks used so far} of every thread of `pid`."""
    found = {}
    for tid in os.listdir(f"/proc/{pid}/task"):
        task = f"/proc/{pid}/task/{tid}"
        status = _fields(_read(f"{task}/status"))
        times = _read(f"{task}/stat").rpartition(")")[2].split()
        if "voluntary_ctxt_switches" not in status or len(times) < 13:
            continue
        found[int(tid)] = {
            "name": _read(f"{task}/comm").strip(),
            "voluntary": status["voluntary_ctxt_switches"],
            "nonvoluntary": status["nonvoluntary_ctxt_switches"],
            "ticks": int(times[11]) + int(times[12]),  # utime + stime, fields 14 and 15
        }
    return found


def gpu_users():
    """([pid, ...] with /dev/nvidia-uvm open, how many processes could not be looked into)."""
    users, hidden = [], 0
    for pid in pids():
        try:
            links = [f"/proc/{pid}/fd/{fd}" for fd in os.listdir(f"/proc/{pid}/fd")]
        except PermissionError:
            hidden += 1
            continue
        except OSError:
            continue
        if any(_link(link) == "/dev/nvidia-uvm" for link in links):
            users.append(pid)
    return users, hidden


def device_files(pid):
    """How many descriptors of the driver's device files `pid` has open."""
    try:
        names = os.listdir(f"/proc/{pid}/fd")
    except OSError:
        return 0
    return sum(_link(f"/proc/{pid}/fd/{name}").startswith("/dev/nvidia") for name in names)


def _link(path):
    try:
        return os.readlink(path)
    except OSError:
        return ""


class Handle:
    """Names one process for ever, so that killing it cannot hit a later one with its number."""

    def __init__(self, fd):
        self._fd = fd

    @classmethod
    def of(cls, pid):
        try:
            return cls(os.pidfd_open(pid))
        except OSError:
            return cls(None)

    def kill(self):
        if self._fd is None:
            return
        try:
            signal.pidfd_send_signal(self._fd, signal.SIGKILL)
        except ProcessLookupError:
            pass
        os.close(self._fd)
        self._fd = None
