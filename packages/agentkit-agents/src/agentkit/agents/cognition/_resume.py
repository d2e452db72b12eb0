"""Taking decisions into a run that waits for them."""

from collections.abc import Callable, Mapping

from agentkit.agents.cognition._dispatch import Dispatch
from agentkit.agents.cognition._state import CallRecord, LoopState, PendingTurn
from agentkit.agents.gates import Decision, DecisionLike, as_decision

__all__ = ["take_decisions"]


def take_decisions(
    state: LoopState,
    decisions: Mapping[str, DecisionLike] | None,
    *,
    dispatch: Callable[[LoopState, PendingTurn], Dispatch],
    now: float,
) -> None:
    """Apply *decisions* to the calls that wait in *state*.

    Where some calls are decided on, the others are denied; where none is, all go on waiting. After
    the deadline every call has expired, whatever was decided.

    Raises:
        ValueError: No call waits, or one of the decisions is for none that does.

    """
    waiting = _waiting(state)
    given = _checked(decisions, waiting)
    if state.turn is None or not waiting:
        return
    if state.turn.deadline_at is not None and now >= state.turn.deadline_at:
        given = {record.call.id: Decision("expired") for record in waiting}
    if not given:
        return
    taker = dispatch(state, state.turn)
    for record in waiting:
        undecided = Decision("deny", note="no decision was given")
        taker.apply(record, given.get(record.call.id, undecided))
    state.turn.waits = False


def _waiting(state: LoopState) -> list[CallRecord]:
    if state.turn is None or not state.turn.waits:
        return []
    return [record for record in state.turn.open_calls if not record.approved]


def _checked(
    decisions: Mapping[str, DecisionLike] | None, waiting: list[CallRecord]
) -> dict[str, Decision]:
    ids = sorted(record.call.id for record in waiting)
    strangers = [call_id for call_id in decisions or () if call_id not in ids]
    if strangers:
        told = f"waiting are {ids}" if ids else "no call waits for a decision"
        raise ValueError(f"cannot decide on {strangers}: {told}")
    return {call_id: as_decision(given) for call_id, given in (decisions or {}).items()}
