"""Which distribution opens a URL, and what is told when none does."""

import asyncio
import importlib
import pickle
import re
import sys
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, nullcontext
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import pytest

from agentkit.state.checkpoints import open_checkpoints
from agentkit.state.stores import open_store
from agentkit.state.stores.errors import AdapterLookupError

Register = Callable[[str, str], None]
Open = Callable[[str], AbstractAsyncContextManager[Any]]
each_open = pytest.mark.parametrize("open_it", [open_store, open_checkpoints])
REST = "//user:hunter2@host/0?password=hunter2"
PROVIDERS = {
    "redis": "agentkit-state-redis",
    "rediss": "agentkit-state-redis",
    "redis+cluster": "agentkit-state-redis",
    "rediss+sentinel": "agentkit-state-redis",
    "postgres": "agentkit-state-postgres",
    "postgresql": "agentkit-state-postgres",
}


@pytest.fixture
def register(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Register:
    """Install a distribution that registers the scheme `acme` for both groups."""

    def install(name: str, value: str) -> None:
        info = tmp_path / f"{name.replace('-', '_')}-1.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1\n")
        groups = ("agentkit.stores", "agentkit.checkpoints")
        lines = [f"[{group}]\nacme = {value}\n" for group in groups]
        (info / "entry_points.txt").write_text("\n".join(lines))
        monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
        importlib.invalidate_caches()

    return install


def refusal(open_it: Open, scheme: str) -> AdapterLookupError:
    with pytest.raises(AdapterLookupError, match=re.escape(f"{scheme}:")) as refused:
        open_it(f"{scheme}:{REST}")
    assert "hunter2" not in f"{refused.value!r} {refused.value.__cause__!r}"
    return refused.value


@each_open
def test_any_distribution_may_register_a_scheme(open_it: Open, register: Register) -> None:
    async def opened() -> object:
        async with open_it("acme:thing") as store:
            return store

    register("acme-store", "contextlib:nullcontext")

    assert asyncio.run(opened()) == "acme:thing"


def nothing_installed(**_: str) -> tuple[EntryPoint, ...]:
    return ()


@each_open
@pytest.mark.parametrize("scheme", PROVIDERS)
def test_a_scheme_of_ours_says_what_to_install(
    open_it: Open, scheme: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("agentkit.state.stores._adapters.entry_points", nothing_installed)
    refused = refusal(open_it, scheme)

    assert f"install {PROVIDERS[scheme]}" in str(refused)
    assert (refused.scheme, refused.distribution) == (scheme, PROVIDERS[scheme])


@each_open
def test_an_unknown_scheme_says_what_is_installed(open_it: Open) -> None:
    refused = refusal(open_it, "nobody")

    assert "memory:" in str(refused)
    assert "sqlite:" in str(refused)
    assert (refused.scheme, refused.distribution) == ("nobody", "")


@each_open
def test_a_missing_module_says_what_to_install(open_it: Open, register: Register) -> None:
    register("acme-store", "module_that_is_missing:open")
    refused = refusal(open_it, "acme")

    assert "acme-store opens acme: URLs but misses the module 'module_that_is_missing'" in str(
        refused
    )
    assert refused.distribution == "acme-store"


@each_open
def test_two_distributions_with_one_scheme_are_both_named(
    open_it: Open, register: Register
) -> None:
    register("acme-store", "contextlib:nullcontext")
    register("bcme-store", "contextlib:closing")

    assert "(acme-store, bcme-store)" in str(refusal(open_it, "acme"))


def test_the_same_entry_named_twice_is_one(register: Register) -> None:
    register("acme-store", "contextlib:nullcontext")
    register("acme-copy", "contextlib:nullcontext")

    assert isinstance(open_store("acme:"), nullcontext)


def test_the_error_pickles() -> None:
    error = AdapterLookupError("no", scheme="acme", distribution="acme-store")
    copied = pickle.loads(pickle.dumps(error))  # noqa: S301 - our own bytes

    assert (str(copied), copied.scheme, copied.distribution) == ("no", "acme", "acme-store")
