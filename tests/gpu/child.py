"""One process that gpu-check started: its lines with the time each was read, and its end."""

import os
import select
import selectors
import signal
import subprocess
import time

import proc


class StepError(Exception):
    """A measurement that could not be made, with the reason for people."""


class Child:
    """Runs `argv`; as a context manager, leaves nothing of it running.

    All times are milliseconds since just before the process was started.
    """

    def __init__(self, argv, env, keep_input_open=False):
        self.argv = argv
        self.output = []  # (stream, line, ms)
        self._partial = {"stdout": b"", "stderr": b""}
        self._started = time.monotonic_ns()
        self.process = subprocess.Popen(
            argv,
            env=env,
            stdin=subprocess.PIPE if keep_input_open else subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        self._selector = selectors.DefaultSelector()
        for name in self._partial:
            stream = getattr(self.process, name)
            os.set_blocking(stream.fileno(), False)
            self._selector.register(stream, selectors.EVENT_READ, name)
        # Popen.wait() with a time limit sleeps up to 50 ms between looks: too coarse here.
        self._pidfd = os.pidfd_open(self.process.pid)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        # What was started below it too: an init that was killed cannot clean up any more.
        family = [proc.Handle.of(pid) for pid in proc.descendants(self.process.pid)]
        try:
            if not self._ended(0):
                self.process.terminate()
                if not self._ended(5):
                    self.process.kill()
                    self._ended(5)
        finally:
            for handle in family:
                handle.kill()
            os.close(self._pidfd)
            self._selector.close()
            for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
                if stream is not None:
                    stream.close()

    @property
    def pid(self):
        return self.process.pid

    def elapsed_ms(self, at_ns=None):
        return ((at_ns or time.monotonic_ns()) - self._started) / 1e6

    def wait_for_line(self, accept, seconds, what):
        """The first answer of accept(stream, line) that is not None, and when its line was read."""
        deadline = time.monotonic() + seconds
        seen = 0
        while True:
            while seen < len(self.output):
                stream, line, at = self.output[seen]
                seen += 1
                answer = accept(stream, line)
                if answer is not None:
                    return answer, at
            left = deadline - time.monotonic()
            if left <= 0:
                raise self.error(f"no {what} within {seconds} s")
            if not self._read(left):
                self._ended(5)
                raise self.error(f"ended ({self.process.returncode}) before {what}")

    def close_input(self):
        self.process.stdin.close()

    def wait(self, seconds):
        """Waits for the end; returns (exit code, when it ended)."""
        if not self._ended(seconds):
            raise self.error(f"still running after {seconds} s")
        ended = self.elapsed_ms()
        self._read(0)
        return self.process.returncode, ended

    def terminate(self, seconds):
        """SIGTERM; returns (exit code, milliseconds that the end took)."""
        before = self.elapsed_ms()
        self.process.send_signal(signal.SIGTERM)
        code, ended = self.wait(seconds)
        return code, ended - before

    def error(self, why):
        log = "\n".join(f"    {stream}: {line}" for stream, line, _ in self.output[-30:])
        name = os.path.basename(self.argv[0])
        return StepError(f"{name}: {why}" + (f"; it said:\n{log}" if log else "; it said nothing"))

    def _ended(self, seconds):
        """True once the process has ended; False if it has not within `seconds`.

        Does not read meanwhile: nothing that is waited for here writes more than a pipe holds.
        """
        if self.process.poll() is None:
            select.select([self._pidfd], [], [], seconds)
        return self.process.poll() is not None

    def _read(self, seconds):
        """Takes in what there is, waiting up to `seconds`; False when all output has ended."""
        for key, _ in self._selector.select(seconds):
            data = os.read(key.fd, 65536)
            at = self.elapsed_ms()
            lines = (self._partial[key.data] + data).split(b"\n")
            self._partial[key.data] = lines.pop()
            if not data:
                self._selector.unregister(key.fileobj)
                if self._partial[key.data]:
                    lines.append(self._partial[key.data])
            for line in lines:
                self.output.append((key.data, line.decode(errors="replace"), at))
        return bool(self._selector.get_map())
