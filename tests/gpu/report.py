"""From raw values to medians, targets and a table."""

import operator
import statistics

ROUND_STEPS = {
    "nothing": "nothing held",
    "bare": "bare C program",
    "context": "warminit hold --hold context",
    "device": "warminit hold --hold device",
    "python": "Python holder (torch)",
    "nothing_again": "nothing held, again",
}
SIMULATED = "SIMULATED: the driver was a simulation; not one figure here says anything about a GPU."

_COMPARE = {"<=": operator.le, ">=": operator.ge, "==": operator.eq}


def stats(values):
    return {"values": values, "median": statistics.median(values), "min": min(values),
            "max": max(values), "n": len(values)}


def _numbers(tree, path=""):
    """("holder.rss_kib", 1234), ... of every number in nested dictionaries."""
    for key, value in tree.items():
        if isinstance(value, dict):
            yield from _numbers(value, f"{path}{key}.")
        elif isinstance(value, (int, float)) and not isinstance(value, bool):
            yield path + key, value


def series(samples):
    """{"holder.rss_kib": stats, ...} over a list of samples of one shape."""
    found = {}
    for sample in samples:
        for name, value in _numbers(sample):
            found.setdefault(name, []).append(value)
    return {name: stats(values) for name, values in found.items()}


def summarise(result):
    result["summary"] = {
        step: series([r["steps"][step] for r in result["rounds"] if step in r["steps"]])
        for step in ROUND_STEPS}
    for name in ("cold_jit", "pid1"):
        block = result.get(name, {})
        block.pop("summary", None)
        block["summary"] = {k: series(v) for k, v in block.items() if isinstance(v, list)}
    if walls := result.get("pid1", {}).get("summary"):
        walls["overhead_ms"] = (walls["warminit"]["wall_ms"]["median"]
                                - walls["bare"]["wall_ms"]["median"])
    result["targets"] = targets(result)


def _median(result, step, name):
    found = result["summary"].get(step, {}).get(name)
    return found and found["median"]


def _ratio(above, below):
    return None if above is None or not below else above / below


def targets(result):
    """What was to be reached, each with the value measured; "reached" is None if it was not."""
    def get(step, name):
        return _median(result, step, name)

    def megabytes(kib):
        return None if kib is None else kib * 1024 / 1e6

    rows = []

    def add(what, unit, value, relation, bound):
        reached = None if value is None else _COMPARE[relation](value, bound)
        rows.append({"what": what, "unit": unit, "value": value, "target": f"{relation} {bound}",
                     "reached": reached})

    add("ready, warminit context / bare C", "ratio",
        _ratio(get("context", "ready_ms"), get("bare", "ready_ms")), "<=", 1.3)
    add("ready, Python holder / warminit context", "ratio",
        _ratio(get("python", "ready_ms"), get("context", "ready_ms")), ">=", 10)
    for level in ("context", "device"):
        add(f"cuInit, nothing held / {level} held", "ratio",
            _ratio(get("nothing", "init_ms"), get(level, "first_call.init_ms")), ">=", 8)
    for level, bound in (("context", 270), ("device", 8)):
        add(f"GPU memory, {level}", "MiB", get(level, "gpu.mib"), "<=", bound)
    for level in ("context", "device"):
        add(f"private memory of the holder, anonymous, {level}", "MB",
            megabytes(get(level, "holder.anonymous_kib")), "<=", 20)
        # With the driver's mappings of device files and with clean library pages: see the notes.
        add(f"private memory of the holder, every private page, {level}", "MB",
            megabytes(get(level, "holder.private_kib")), "<=", 20)
    for level in ("context", "device"):
        add(f"wake-ups of init and holder at rest, {level}", "switches",
            result.get("rest", {}).get(level, {}).get("switches"), "==", 0)
    return rows


# The table.


def _number(value):
    if value is None:
        return "–"
    if isinstance(value, int) or float(value).is_integer():
        return str(int(value))
    digits = 3 if abs(value) < 1 else 2 if abs(value) < 10 else 1
    return f"{value:.{digits}f}"


def _table(header, rows):
    """A Markdown table that can be read as plain text too."""
    rows = [[str(cell) for cell in row] for row in (header, *rows)]
    widths = [max(len(row[i]) for row in rows) for i in range(len(header))]
    lines = ["| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths)) + " |"
             for row in rows]
    return [lines[0], "|" + "|".join("-" * (width + 2) for width in widths) + "|", *lines[1:], ""]


def _stat_row(label, stat, scale=1.0):
    cells = [stat[key] * scale for key in ("median", "min", "max")] if stat else [None] * 3
    return [label, *map(_number, cells), stat["n"] if stat else 0]


def _mark(result):
    return " (SIMULATED)" if result["simulated"] else ""


def _targets_section(result):
    answer = {True: "yes", False: "NO", None: "not measured"}
    lines = [f"## Targets{_mark(result)}", "", *_table(
        ("what", "value", "unit", "target", "reached"),
        [(t["what"], _number(t["value"]), t["unit"], t["target"], answer[t["reached"]])
         for t in result["targets"]])]
    gain = _ratio(_median(result, "nothing", "init_ms"),
                  _median(result, "context", "first_call.init_ms"))
    if gain is not None and gain < 2 and not result["simulated"]:
        lines += ["cuInit is not slower with nothing held: a process elsewhere on this host, which "
                  "cannot be seen from here, may have the GPU open.", ""]
    return lines


def _times_section(result):
    rows = []
    for step, title in ROUND_STEPS.items():
        found = result["summary"][step]
        prefix = "first_call." if step in ("context", "device", "python") else ""
        if not found:
            why = result["skipped"].get(step, "not measured")
            rows.append([f"{title}: {why}", *"–––", 0])
            continue
        rows.append(_stat_row(f"{title}: start to ready", found.get("ready_ms")))
        for name, label in (("init_ms", "cuInit"), ("context_ms", "primary context"),
                            ("module_ms", "module"), ("total_ms", "total")):
            user = "a user's" if prefix else "its"
            rows.append(_stat_row(f"– {user} {label}", found.get(prefix + name)))
        if "exit_ms" in found:
            rows.append(_stat_row("– SIGTERM to exit", found["exit_ms"]))
    return [f"## Times, in milliseconds{_mark(result)}", "",
            *_table(("what", "median", "min", "max", "n"), rows)]


def _memory_section(result):
    rows = []
    mb = 1024 / 1e6
    for step in ("context", "device", "python"):
        found = result["summary"][step]
        if not found:
            continue
        samples = [r["steps"][step] for r in result["rounds"] if step in r["steps"]]
        methods = sorted({s["gpu"]["method"] for s in samples})
        rows.append(_stat_row(f"{step}: GPU memory, MiB ({', '.join(methods)})",
                              found.get("gpu.mib")))
        if methods != ["difference of memory.used"]:
            rows.append(_stat_row(f"{step}: GPU memory, MiB (difference of memory.used)",
                                  found.get("gpu.difference_mib")))
        rows.append(_stat_row(f"{step}: GPU memory in use before it, MiB",
                              found.get("used_before_mib")))
        for who, title in (("holder", "holder"), ("holder_beside_user", "holder beside a user"),
                           ("init", "init")):
            for name in ("rss", "private", "private_dirty", "pss", "anonymous"):
                if stat := found.get(f"{who}.{name}_kib"):
                    label = name.replace("rss", "RSS").replace("pss", "PSS").replace("_", " ")
                    rows.append(_stat_row(f"{step}: {title}, {label}, MB", stat, mb))
            if stat := found.get(f"{who}.threads"):
                rows.append(_stat_row(f"{step}: {title}, threads", stat))
    note = ("\"Private\" counts every page that no other process maps at that moment: also clean pages "
            "of libraries, which a user of the GPU shares, and the driver's own mappings of "
            "/dev/nvidiactl and of a shared buffer. \"Anonymous\" is what the holder itself takes.")
    return [f"## Memory{_mark(result)}", "", note, "",
            *_table(("what", "median", "min", "max", "n"), rows)]


def _rest_section(result):
    lines = []
    for level, rest in result.get("rest", {}).items():
        lines += [f"## At rest for {rest['seconds']:.0f} s, {level}", "", *_table(
            ("process", "thread", "voluntary switches", "nonvoluntary", "ticks"),
            [(t["process"], t["thread"] + (f" ({t['note']})" if "note" in t else ""),
              t["voluntary"], t["nonvoluntary"], t["ticks"]) for t in rest["threads"]])]
    return lines


def _series_section(title, note, block, rows):
    if "skipped" in block:
        return [f"## {title}", "", f"Skipped: {block['skipped']}.", ""]
    found = block.get("summary", {})
    if not found:
        return []
    return [f"## {title}", "", note, "", *_table(
        ("what", "median", "min", "max", "n"),
        [_stat_row(label, found.get(run, {}).get(name)) for label, run, name in rows])]


def markdown(result):
    machine = result["machine"]
    gpus = machine["gpus"] or []
    cuda = result["driver"]["cuda"]
    lines = [f"# GPU check{_mark(result)}", ""]
    if result["simulated"]:
        lines += [f"**{SIMULATED}** ({result['simulated_because']})", ""]
    lines += ["Written by scripts/gpu-check; raw values in gpu-check.json beside this file.", ""]
    lines += [f"- GPU {g['index']}: {g['name']}, driver {g['driver_version']}, persistence "
              f"{g['persistence_mode']}, compute mode {g['compute_mode']}" for g in gpus]
    lines += [
        f"- Device 0 as the driver names it: {result['driver']['device']}; "
        f"{result['driver']['devices']} visible; CUDA {cuda // 1000}.{cuda % 1000 // 10}",
        f"- Linux {machine['kernel']}, {machine['architecture']}, {machine['cpus']} CPUs, "
        f"{machine['date_utc']}",
        f"- {result['warminit_version']}, commit {result['commit'] or 'not given'}",
        f"- `{result['command']}`: {len(result['rounds'])} round(s), interleaved", ""]
    if result["others"]:
        lines += [f"**Other processes had the GPU open: {', '.join(result['others'])}.**", ""]
    if result["errors"]:
        lines += ["## Errors", ""]
        for error in result["errors"]:
            lines += [f"{error['step']}:", "", "```", error["error"], "```", ""]
    lines += _targets_section(result) + _times_section(result) + _memory_section(result)
    lines += _rest_section(result)
    lines += _series_section(
        "Without the JIT cache",
        "CUDA_CACHE_DISABLE=1: the driver compiles the kernel. Milliseconds.",
        result.get("cold_jit", {}),
        (("bare C program: start to ready", "bare", "ready_ms"),
         ("– its module", "bare", "module_ms"),
         ("warminit context: start to ready", "context", "ready_ms")))
    lines += _series_section(
        "As PID 1", "`sh -c 'sleep 2; exit 7'` in a new PID namespace. Milliseconds.",
        result.get("pid1", {}),
        (("bare: wall time", "bare", "wall_ms"),
         ("under warminit: wall time", "warminit", "wall_ms")))
    lines += _series_section(
        "A command that waits until the GPUs are ready",
        "`warminit --wait-ready -- sh -c 'exec first_call'`. Milliseconds.",
        {"summary": {"run": series(result["wait_ready"])}} if result.get("wait_ready") else {},
        (("start of warminit to first_call's line", "run", "line_ms"),
         ("– its cuInit", "run", "init_ms"), ("– its primary context", "run", "context_ms"),
         ("– its total", "run", "total_ms"), ("until warminit's exit", "run", "wall_ms")))
    if result["simulated"]:
        lines += [f"**{SIMULATED}**", ""]
    return "\n".join(lines)
