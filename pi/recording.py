"""A recording of a table: the clip, and beside it the commands that were given."""

from __future__ import annotations

import json
from pathlib import Path
from typing import IO, Any

from engine.codec import command_to_json
from engine.commands import Command
from pi.errors import RecordingFailed
from vision.clips import ClipNotWritten, ClipWriter
from vision.frame import Frame


def commands_path(clip: Path) -> Path:
    """Where a clip's commands lie: ``CLIP.commands.jsonl``."""
    return clip.with_name(clip.name + ".commands.jsonl")


class Recording:
    """Writes frames and commands as they come. Its stamps start at 0 with the first frame."""

    def __init__(self, clip: Path, *, fps: float) -> None:
        self._clip = ClipWriter(clip, fps)
        self._waiting: list[tuple[int, str, Command]] = []
        path = commands_path(clip)
        try:
            self._commands: IO[str] = path.open("w", encoding="utf-8")
        except OSError as error:
            raise RecordingFailed(
                f"{path} cannot be written ({error.strerror}): record to another folder"
            ) from error

    def frame(self, frame: Frame) -> None:
        """Add a frame. Raises RecordingFailed when the disk takes no more."""
        try:
            self._clip.write(frame)
        except ClipNotWritten as error:
            raise RecordingFailed(str(error)) from error
        waiting, self._waiting = self._waiting, []
        for at_us, source, command in waiting:
            self.command(command, source=source, at_us=at_us)

    def command(self, command: Command, *, source: str, at_us: int) -> None:
        """A command that was accepted, at the table's own time."""
        start_us = self._clip.started_at_us
        if start_us is None:
            self._waiting.append((at_us, source, command))
            return
        line: dict[str, Any] = {"at_us": max(at_us - start_us, 0), "source": source}
        line |= command_to_json(command)
        try:
            self._commands.write(json.dumps(line, separators=(",", ":")) + "\n")
            self._commands.flush()
        except OSError as error:
            raise RecordingFailed(
                f"{self._commands.name} cannot be written ({error.strerror}): free some space"
            ) from error

    def close(self) -> None:
        """Finish both files. Raises RecordingFailed when the clip is not whole."""
        try:
            self._clip.close()
        except ClipNotWritten as error:
            raise RecordingFailed(str(error)) from error
        finally:
            self._commands.close()
