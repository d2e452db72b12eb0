from pathlib import Path

import pytest
from acme_journal import JournalStore

from agentkit.testing import Feature, Opener, StoreSuite


class TestJournalStore(StoreSuite, lacks={Feature.TTL}):
    @pytest.fixture
    def adapter(self, tmp_path: Path) -> Opener:
        return lambda: JournalStore.open(tmp_path / "store.journal")
