"""Who is told when a run is cancelled, and who is remembered for it."""

import logging
from asyncio import CancelledError
from functools import partial
from typing import Any

import pytest

from agentkit.core.execution import CancellationToken
from agentkit.core.execution._signal_tree import Node


def listeners_of(token: CancellationToken) -> int:
    """Give how many children the tree behind *token* remembers."""
    node: Any = token.__getattribute__("_node")
    return len(node.listeners)


def test_everybody_in_the_branch_is_told_in_order_from_the_top() -> None:
    parent = CancellationToken()
    children = [parent.child() for _ in range(2)]
    grandchild = children[0].child()
    told: list[str] = []
    names = [(parent, "parent"), (children[0], "first"), (children[1], "second"), (grandchild, "g")]
    for token, name in names:
        token.add_callback(partial(told.append, name))

    parent.cancel("enough")

    assert told == ["parent", "first", "g", "second"]
    assert {token.reason for token, _ in names} == {"enough"}


def test_a_branch_that_is_cancelled_again_tells_nobody() -> None:
    parent = CancellationToken()
    child = parent.child()
    parent.cancel("first")
    told: list[str] = []
    child.add_callback(partial(told.append, "late"))
    child.cancel("second")

    assert (told, child.reason) == (["late"], "first")


def test_a_branch_keeps_the_reason_it_has_whoever_of_two_threads_comes_second() -> None:
    parent = Node()
    child = Node(parent)
    parent.cancel("first")

    child.cancel("second")
    assert child.reason == "first"


def test_a_whole_tree_has_one_lock_so_that_a_branch_is_cancelled_in_one_step() -> None:
    root = Node()

    assert Node(Node(root)).lock is root.lock
    assert Node().lock is not root.lock


class _Signalled(Node):
    """A signal handler cancels it just when its thread is about to listen."""

    def hear(self, child: Node) -> None:
        super().hear(child)
        self.cancel("signal")


def test_a_callback_that_a_signal_handler_ran_is_not_run_again() -> None:
    told: list[str] = []
    Node(_Signalled()).add("key", partial(told.append, "told"))

    assert told == ["told"]


def test_a_parent_remembers_only_those_that_somebody_listens_to() -> None:
    parent = CancellationToken()
    child = parent.child()
    grandchild = child.child()
    forget = grandchild.add_callback(print)
    also = child.add_callback(print)
    assert (listeners_of(parent), listeners_of(child)) == (1, 1)
    forget()
    assert (listeners_of(parent), listeners_of(child)) == (1, 0)
    also()

    assert listeners_of(parent) == 0


def test_a_branch_may_be_as_deep_as_a_run_is_long() -> None:
    leaf = root = CancellationToken()
    for _ in range(20_000):
        leaf = leaf.child()
    told: list[str] = []
    forget = leaf.add_callback(partial(told.append, "forgotten"))
    forget()
    leaf.add_callback(partial(told.append, "told"))
    root.cancel("enough")

    assert (leaf.reason, told) == ("enough", ["told"])


@pytest.mark.parametrize("failure", [CancelledError, OSError])
def test_a_callback_that_fails_keeps_no_other_from_being_told(
    failure: type[BaseException], caplog: pytest.LogCaptureFixture
) -> None:
    token, told = CancellationToken(), list[str]()
    token.add_callback(partial(raise_, failure("oops")))
    token.add_callback(partial(told.append, "told"))
    token.cancel("enough")

    assert (told, len(caplog.records)) == (["told"], 1)


def test_what_ends_the_program_in_a_callback_leaves_once_all_were_told() -> None:
    token, told = CancellationToken(), list[str]()
    token.add_callback(partial(told.append, "first"))
    token.add_callback(partial(raise_, KeyboardInterrupt("stop")))
    token.add_callback(partial(told.append, "second"))
    token.add_callback(partial(told.append, "third"))

    with pytest.raises(KeyboardInterrupt, match="stop"):
        token.cancel("enough")
    assert told == ["first", "second", "third"]


def raise_(failure: BaseException) -> None:
    raise failure


def test_a_callback_that_fails_is_logged_by_what_it_was(caplog: pytest.LogCaptureFixture) -> None:
    def fail() -> None:
        raise RuntimeError("oops")

    token = CancellationToken()
    token.add_callback(fail)
    with caplog.at_level(logging.ERROR):
        token.cancel()

    assert caplog.messages == ["a callback on cancellation failed"]


def test_a_token_without_a_deadline_has_all_the_time() -> None:
    assert CancellationToken().seconds_left() == float("inf")
