"""Programs that begin at once: one process imports everything, each program is a fork of it.

A kill then costs no start of Python, so that a thousand of them take an hour and not four. The
process that is killed is a process of its own all the same, with its own files, pins and locks.
Run as a script it is that process: ``nursery.py relay|kit``.
"""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]


class Program:
    """One fork, to be killed or waited for. What it prints is in the file ``said``."""

    def __init__(self, nursery: Nursery, pid: int, said: Path) -> None:
        self.pid = pid
        self.said = said
        self._nursery = nursery

    def text(self) -> str:
        return self.said.read_text() if self.said.exists() else ""

    def kill(self) -> int:
        os.kill(self.pid, signal.SIGKILL)
        return self.wait()

    def wait(self, seconds: float = 180) -> int:
        """How it ended, as the shell counts."""
        return int(self._nursery.answer(seconds))


class Nursery:
    """The process of the imports; one program at a time."""

    def __init__(self, kind: str) -> None:
        self._process = subprocess.Popen(
            [sys.executable, __file__, kind],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        )

    def start(self, *words: str, said: Path) -> Program:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps({"words": words, "said": str(said)}) + "\n")
        self._process.stdin.flush()
        return Program(self, int(self.answer(180)), said)

    def answer(self, seconds: float) -> str:
        assert self._process.stdout is not None
        ready, _, _ = select.select([self._process.stdout], [], [], seconds)
        assert ready, f"no program began or ended within {seconds:g} seconds"
        return self._process.stdout.readline()

    def close(self) -> None:
        self._process.kill()
        self._process.communicate()


def _serve(kind: str) -> None:
    run: Any
    if kind == "relay":
        from shuffling_kit import main as relay

        def run(words: list[str]) -> int:
            relay(words[0], Path(words[1]))
            return 0

    else:
        import cv2  # noqa: F401
        import flask  # noqa: F401
        import onnxruntime  # noqa: F401

        import web_dashboard  # noqa: F401
        from pi.cli import main as run

    for line in sys.stdin:
        asked = json.loads(line)
        pid = os.fork()
        if pid == 0:
            code = 1
            try:
                said = os.open(asked["said"], os.O_WRONLY | os.O_CREAT | os.O_APPEND)
                os.dup2(said, 1)
                os.dup2(said, 2)
                code = run(asked["words"])
            finally:
                sys.stdout.flush()
                sys.stderr.flush()
                os._exit(code)
        print(pid, flush=True)
        _, status = os.waitpid(pid, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)


if __name__ == "__main__":
    _serve(sys.argv[1])
