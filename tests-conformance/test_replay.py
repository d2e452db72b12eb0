"""Every replay store that ships keeps ReplayStore."""

from contextlib import nullcontext
from pathlib import Path

import pytest

from agentkit.core.telemetry import NoopReplayStore
from agentkit.state.replay import FileReplayStore
from agentkit.testing import Opener, ReplaySuite


class TestFileReplayStore(ReplaySuite):
    @pytest.fixture
    def adapter(self, tmp_path: Path) -> Opener:
        self.folder = tmp_path / "replays"
        self.store = FileReplayStore(self.folder)
        return lambda: nullcontext(self.store)

    async def lost(self) -> int:
        return self.store.dropped_writes

    async def break_connection(self) -> None:
        if self.folder.is_dir():
            self.folder.rename(self.folder.with_suffix(".away"))
        self.folder.write_text("a file where the folder was")

    async def restore(self) -> None:
        self.folder.unlink()


class TestNoopReplayStore(ReplaySuite, partial={"get"}):
    @pytest.fixture
    def adapter(self) -> Opener:
        return lambda: nullcontext(NoopReplayStore())
