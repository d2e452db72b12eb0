"""Where replay files go when the program does not say: the environment, and the default."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Mapping
from pathlib import Path

__all__ = ["default_folder", "folder_from_env"]

_VARIABLE = "AGENTKIT_REPLAY_DIR"
_FORMER_VARIABLE = "RIO_REPLAY_DIR"

_log = logging.getLogger("agentkit.state.replay")


def folder_from_env(env: Mapping[str, str]) -> Path | None:
    """Give the folder that *env* names, or None; an empty variable is as none."""
    current, former = env.get(_VARIABLE, ""), env.get(_FORMER_VARIABLE, "")
    if current and former:
        _log.warning("both %s and %s are set; the first counts", _VARIABLE, _FORMER_VARIABLE)
    elif former:
        warnings.warn(
            f"{_FORMER_VARIABLE} is deprecated; set {_VARIABLE} instead",
            DeprecationWarning,
            stacklevel=3,
        )
    folder = current or former
    return Path(folder) if folder else None


def default_folder(env: Mapping[str, str]) -> Path:
    """Give the folder in the user's data directory, or one of its former name that is there."""
    data = _data_directory(env)
    folder, former = data / "agentkit" / "replays", data / "rio" / "replays"
    if folder.is_dir() or not former.is_dir():
        return folder
    warnings.warn(
        f"replay files go to {former}, which is deprecated; move it to {folder}",
        DeprecationWarning,
        stacklevel=3,
    )
    return former


def _data_directory(env: Mapping[str, str]) -> Path:
    given = Path(env.get("XDG_DATA_HOME", ""))
    # What is relative there counts as unset, says the XDG specification.
    return given if given.is_absolute() else Path.home() / ".local" / "share"
