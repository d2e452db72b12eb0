"""What keeps its data in a folder of files keeps its port, also while the folder is away."""

from contextlib import nullcontext
from pathlib import Path

import pytest

from agentkit.state.checkpoints import FileCheckpointStore
from agentkit.state.stores import FileStore
from agentkit.testing import CheckpointSuite, Feature, Opener, StoreSuite


class Away:
    """The hooks of a folder that goes away, as one does with the disk it is on."""

    folder: Path

    async def break_connection(self) -> None:
        one = self.folder / "one"
        if one.exists():
            one.rename(self.folder / "away")
        one.touch()

    async def restore(self) -> None:
        one, away = self.folder / "one", self.folder / "away"
        one.unlink()
        if away.exists():
            away.rename(one)


class TestFileStore(Away, StoreSuite, ignores={Feature.TTL}):
    @pytest.fixture
    def adapter(self, tmp_path: Path) -> Opener:
        self.folder = tmp_path
        return lambda: nullcontext(FileStore(tmp_path / "one"))

    async def advance(self, seconds: float) -> None:
        """Do nothing: no clock is read."""

    def other_namespace(self) -> Opener:
        return lambda: nullcontext(FileStore(self.folder / "other"))


class TestFileCheckpointStore(Away, CheckpointSuite):
    @pytest.fixture
    def adapter(self, tmp_path: Path) -> Opener:
        self.folder = tmp_path
        return lambda: nullcontext(FileCheckpointStore(tmp_path / "one"))

    def other_namespace(self) -> Opener:
        return lambda: nullcontext(FileCheckpointStore(self.folder / "other"))
