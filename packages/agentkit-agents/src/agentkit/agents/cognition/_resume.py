"""Taking decisions into a run that waits for them."""

from collections.abc import Callable, Mapping

from agentkit.agents.cognition._dispatch import Dispatch
from agentkit.agents.cognition._state import CallRecord, LoopState, PendingTurn
from agentkit.agents.gates import Decision, as_decision
from agentkit.core.contracts.ports import CheckpointStatus

__all__ = ["take_decisions"]


def take_decisions(
    state: LoopState,
    status: CheckpointStatus,
    decisions: Mapping[str, str | Decision] | None,
    *,
    dispatch: Callable[[LoopState, PendingTurn], Dispatch],
    now: float,
) -> bool:
    """Apply *decisions* to the calls that wait in *state*; say whether anything changed.

    A call that is not decided on is denied, unless there are no decisions at all. After the
    deadline every call has expired, whatever was decided.

    Raises:
        ValueError: No call waits, or one of the decisions is for none that does.

    """
    waiting = _waiting(state, status)
    _check(decisions, waiting)
    if state.turn is None or not waiting:
        return False
    if state.turn.deadline_at is not None and now >= state.turn.deadline_at:
        decisions = {record.call.id: Decision("expired") for record in waiting}
    if decisions is None:
        return False
    taker = dispatch(state, state.turn)
    for record in waiting:
        given = decisions.get(record.call.id)
        undecided = Decision("deny", note="no decision was given")
        taker.apply(record, undecided if given is None else as_decision(given))
    state.turn.waits = False
    return True


def _waiting(state: LoopState, status: CheckpointStatus) -> list[CallRecord]:
    if status is not CheckpointStatus.SUSPENDED or state.turn is None or not state.turn.waits:
        return []
    return [record for record in state.turn.open_calls if not record.approved]


def _check(decisions: Mapping[str, str | Decision] | None, waiting: list[CallRecord]) -> None:
    ids = sorted(record.call.id for record in waiting)
    strangers = [call_id for call_id in decisions or () if call_id not in ids]
    if strangers or (decisions is not None and not ids):
        told = f"waiting are {ids}" if ids else "no call waits for a decision"
        raise ValueError(f"cannot decide on {strangers or 'nothing'}: {told}")
    for given in (decisions or {}).values():
        as_decision(given)
