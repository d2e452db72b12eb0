"""Where replay files go when the program does not say."""

import logging
from pathlib import Path

import pytest

from agentkit.state.replay import FileReplayStore


@pytest.fixture(autouse=True)
def env(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> pytest.MonkeyPatch:
    for name in ("AGENTKIT_REPLAY_DIR", "RIO_REPLAY_DIR", "XDG_DATA_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    return monkeypatch


def root_from_env() -> Path | None:
    store = FileReplayStore.from_env()
    return None if store is None else store.root


def test_the_environment_names_the_folder(env: pytest.MonkeyPatch) -> None:
    env.setenv("AGENTKIT_REPLAY_DIR", "somewhere")

    assert root_from_env() == Path("somewhere")


@pytest.mark.parametrize("value", [None, ""], ids=["unset", "empty"])
def test_without_it_there_is_no_store(env: pytest.MonkeyPatch, value: str | None) -> None:
    if value is not None:
        env.setenv("AGENTKIT_REPLAY_DIR", value)

    assert root_from_env() is None


def test_its_former_name_is_deprecated(env: pytest.MonkeyPatch) -> None:
    env.setenv("AGENTKIT_REPLAY_DIR", "")
    env.setenv("RIO_REPLAY_DIR", "former")

    with pytest.warns(DeprecationWarning, match="set AGENTKIT_REPLAY_DIR"):
        assert root_from_env() == Path("former")


def test_of_both_names_the_new_one_counts(
    env: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    env.setenv("AGENTKIT_REPLAY_DIR", "new")
    env.setenv("RIO_REPLAY_DIR", "former")

    assert root_from_env() == Path("new")
    assert [record.levelno for record in caplog.records] == [logging.WARNING]


def test_the_default_is_in_the_users_data(tmp_path: Path) -> None:
    assert FileReplayStore.default().root == tmp_path / ".local/share/agentkit/replays"


def test_the_default_follows_the_data_directory(env: pytest.MonkeyPatch, tmp_path: Path) -> None:
    env.setenv("XDG_DATA_HOME", str(tmp_path / "data"))

    assert FileReplayStore.default().root == tmp_path / "data" / "agentkit" / "replays"


def test_a_relative_data_directory_counts_as_unset(env: pytest.MonkeyPatch, tmp_path: Path) -> None:
    env.setenv("XDG_DATA_HOME", "data")

    assert FileReplayStore.default().root == tmp_path / ".local/share/agentkit/replays"


def test_a_folder_of_the_former_name_is_adopted(env: pytest.MonkeyPatch, tmp_path: Path) -> None:
    env.setenv("XDG_DATA_HOME", str(tmp_path))
    former = tmp_path / "rio" / "replays"
    former.mkdir(parents=True)

    with pytest.warns(DeprecationWarning, match="move it"):
        assert FileReplayStore.default().root == former


def test_a_folder_of_the_new_name_goes_first(env: pytest.MonkeyPatch, tmp_path: Path) -> None:
    env.setenv("XDG_DATA_HOME", str(tmp_path))
    for name in ("rio", "agentkit"):
        (tmp_path / name / "replays").mkdir(parents=True)

    assert FileReplayStore.default().root == tmp_path / "agentkit" / "replays"
