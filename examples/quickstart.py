"""An agent finds the fault in a folder of service logs, and says how it knows.

Offline, without a key, a scripted model answers over loopback HTTP. With OPENAI_API_KEY (and, if
you like, OPENAI_BASE_URL and --model) a real one does. The run is kept in a SQLite file: kill it
with --crash-after 3, and go on with --resume.
"""

import signal

if __name__ == "__main__" and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # Ctrl-C while modules load just ends it

import argparse
import asyncio
import os
import sys
from collections.abc import AsyncGenerator, Coroutine
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any
from uuid import uuid4

from support.display import Display, printable
from support.journal import journal, repeated
from support.logs import LogFolder
from support.server import MODEL, serving

from agentkit.agents import Agent, AgentResult
from agentkit.agents.cognition import ReActCognition
from agentkit.core.contracts.errors import AgentkitError, ProviderAuthError, ProviderError
from agentkit.core.contracts.types import ModelUsage, Price, StreamEvent
from agentkit.core.policies import meter, output_coerce, retry, tracing
from agentkit.core.runtime import Budget, Checkpointer, Invoker, RunContext, Services
from agentkit.models.providers import OpenAICompatibleLLM
from agentkit.state.checkpoints import SQLiteCheckpointStore
from agentkit.state.stores import SQLiteStore

SAMPLE = Path(__file__).parent / "data" / "logs"
TASK = "Customers cannot check out. Find the root cause in the logs of our services."
PROMPT = """\
You are the engineer on call. Work with the tools until you can name the one root cause: where it
began, and how it spread. Say in one sentence what you do next, then call tools. Do not guess: every
claim is backed by a line you have read. Quote those lines as evidence."""
OPENAI = "https://api.openai.com/v1"
LONGEST_WAIT_S = 20.0
A_DAY_S = 86_400
CURRENT = "quickstart:run"
INTERRUPTED = "interrupted; go on with --resume"


@dataclass
class Evidence:
    """One line of a log."""

    file: str
    line: int
    text: str


@dataclass
class Finding:
    """What the agent is to find out."""

    root_cause: str
    since: str
    evidence: list[Evidence]
    next_step: str


def main(argv: list[str] | None = None) -> int:
    """Run the example and give its exit status."""
    options = _options(argv)
    _make_output_safe()
    before = signal.getsignal(signal.SIGINT)
    try:
        return asyncio.run(_until_interrupted(investigate(options)))
    except asyncio.CancelledError:
        return _fail(INTERRUPTED, status=130)
    except BrokenPipeError:
        _drop_output()
        return _fail("nobody reads the output any more; go on with --resume")
    except (AgentkitError, ValueError, OSError) as exc:
        _drop_output()
        return _fail(_told(exc))
    finally:
        signal.signal(signal.SIGINT, before)


async def _until_interrupted(work: Coroutine[Any, Any, int]) -> int:
    """Give what *work* gives; Ctrl-C cancels it, and a second one ends the process at once."""
    loop, task = asyncio.get_running_loop(), asyncio.current_task()

    def stop(*_: object) -> None:
        signal.signal(signal.SIGINT, _stop_at_once)
        if task is not None:
            loop.call_soon_threadsafe(task.cancel)

    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        signal.signal(signal.SIGINT, stop)
    return await work


def _stop_at_once(*_: object) -> None:
    os.write(2, f"error: {INTERRUPTED}\n".encode())
    os._exit(130)


async def investigate(options: argparse.Namespace) -> int:
    """Run the agent, or go on with its last run, and print what it came to."""
    if options.state.exists() and not options.state.is_file():
        raise ValueError(f"the state is kept in a file, and {options.state} is no file")
    if options.resume and not _holds_anything(options.state):
        raise ValueError(f"there is no run to resume: {options.state} does not exist or is empty")
    folder = None if options.resume else LogFolder(options.directory or SAMPLE)
    async with (
        _model(options.model) as llm,
        SQLiteStore.open(options.state) as store,
        SQLiteCheckpointStore.open(options.state) as checkpoints,
    ):
        run = await _current_run(store, options)
        folder = folder or LogFolder(Path(run["directory"]))
        log = f"journal:{run['id']}"
        ctx = _context(llm, checkpoints, [journal(store, log)], run_id=run["id"])
        agent = Agent(
            "on-call",
            model=llm.model,
            prompt=PROMPT,
            output=Finding,
            cognition=ReActCognition(folder.tools(), max_iterations=20),
        )
        resumed = agent.stream_resumed(run["id"], ctx) if options.resume else None
        display = Display(sys.stdout)
        events = resumed or agent.stream(TASK, ctx)
        result = await _watched(events, display, crash_after=options.crash_after)
        _print_result(result, seconds=display.elapsed())
        _print_journal(await store.list(log))
        return 0 if result.stop_reason == "complete" else 1


def _context(
    llm: OpenAICompatibleLLM,
    checkpoints: SQLiteCheckpointStore,
    tool_middleware: list[Any],
    *,
    run_id: str,
) -> RunContext:
    """Wire what a run needs; `run_context` is the short way, with the same policies."""
    patient = retry(deadline_s=LONGEST_WAIT_S)
    invoker = Invoker(
        llm=llm,
        chat_middleware=[tracing(), output_coerce(), meter(), patient],
        tool_middleware=[tracing(), meter(), *tool_middleware],
    )
    services = Services(invoker=invoker, checkpointer=Checkpointer(checkpoints))
    return RunContext(run_id, budget=Budget(max_calls=40), services=services)


@asynccontextmanager
async def _model(name: str | None) -> AsyncGenerator[OpenAICompatibleLLM, None]:
    """Give the provider that the environment names, or the scripted model behind HTTP."""
    key = os.environ.get("OPENAI_API_KEY")
    if key:
        url = os.environ.get("OPENAI_BASE_URL") or OPENAI
        model = name or "gpt-4o-mini"
        async with OpenAICompatibleLLM(api_key=key, base_url=url, default_model=model) as llm:
            yield llm
        return
    if name or os.environ.get("OPENAI_BASE_URL"):
        raise ValueError("--model and OPENAI_BASE_URL need OPENAI_API_KEY as well")
    pause = 0.02 if sys.stdout.isatty() else 0.0
    async with (
        serving(pause_s=pause) as url,
        OpenAICompatibleLLM(
            api_key=None, base_url=url, default_model=MODEL, pricing=_as_if_real
        ) as llm,
    ):
        yield llm


def _as_if_real(model: str, usage: ModelUsage) -> Decimal:
    """Price the scripted model as a small real one, so that there is something to count."""
    del model
    cents = [Decimal(price) for price in ("0.15", "0.60", "0.075", "0", "0")]
    return Price(*cents).cost_of(usage)


async def _current_run(store: SQLiteStore, options: argparse.Namespace) -> dict[str, str]:
    """Give the id and the folder of the run to go on with, or of a new one."""
    if options.resume:
        saved = await store.get(CURRENT)
        if saved is None:
            raise ValueError(f"there is no run to resume in {options.state}")
        return {str(key): str(value) for key, value in saved.items()}
    directory = str((options.directory or SAMPLE).resolve())
    run = {"id": uuid4().hex, "directory": directory}
    await store.set(CURRENT, run)
    return run


async def _watched(
    events: AsyncGenerator[StreamEvent, None], display: Display, *, crash_after: int | None
) -> AgentResult:
    """Show *events* as they come and give the result; die after the step that is asked for."""
    steps = 0
    async with aclosing(events) as stream:
        async for event in stream:
            display.show(event)
            steps += event.type == "step"
            if event.type == "step" and steps == crash_after:
                os._exit(137)  # as a kill does: nothing is closed, flushed or finished
            if event.type == "final":
                break
        else:
            raise RuntimeError("the run ended without a result")
    if crash_after is not None:
        print(f"the run ended before step {crash_after}", file=sys.stderr)
    result: AgentResult = event.result
    return result


def _print_result(result: AgentResult, *, seconds: float) -> None:
    found = result.parsed
    if isinstance(found, Finding):
        _say(f"\nRoot cause (since {found.since}): {found.root_cause}\n\nEvidence:")
        for line in found.evidence:
            _say(f"  {line.file}:{line.line}: {line.text}")
        _say(f"\nNext step: {found.next_step}")
    else:
        _say(f"\nNo finding ({result.stop_reason}): {result.evals.get('error', result.output)}")
    usage = result.usage
    cost = f"${usage.cost_usd:.6f}" if usage.cost_usd else "unknown"
    print(
        f"\nTokens: {usage.input_tokens + usage.cache_read_tokens} in, {usage.output_tokens} out. "
        f"Cost: {cost}. Time: {seconds:.1f} s."
    )


def _print_journal(entries: list[dict[str, Any]]) -> None:
    twice = repeated(entries)
    made = f"made again, for want of an outcome: {twice}" if twice else "each made once"
    print(f"Journal: {len(entries)} tool calls, {made}.")
    for number, entry in enumerate(entries, 1):
        told = ", ".join(f"{name}={value!r}" for name, value in entry["arguments"].items())
        _say(f"  {number:2}. {entry['tool']}({told})")


def _say(text: str) -> None:
    print(printable(text))


def _holds_anything(path: Path) -> bool:
    return path.exists() and path.stat().st_size > 0


def _make_output_safe() -> None:
    """Let no character that the terminal lacks, and no closed output, end the run."""
    if sys.stdout is None:
        _drop_output()
    elif (reconfigure := getattr(sys.stdout, "reconfigure", None)) is not None:
        reconfigure(errors="replace")


def _drop_output() -> None:
    """Write to nowhere from now on, so that what is buffered does not fail again at the end."""
    sys.stdout = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 - until Python ends


def _options(argv: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("directory", nargs="?", type=Path, help="a folder of *.log files")
    parser.add_argument("--model", help="the provider's model (default: gpt-4o-mini)")
    parser.add_argument("--state", type=Path, default=Path("quickstart.sqlite"), metavar="FILE")
    parser.add_argument("--crash-after", type=_step, metavar="N", help="die hard after step N")
    parser.add_argument("--resume", action="store_true", help="go on with the last run in FILE")
    return parser.parse_args(argv)


def _step(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"a step is a whole number from 1; got {text!r}")
    return int(text)


def _told(exc: Exception) -> str:
    text = str(exc) or type(exc).__name__
    if isinstance(exc, ProviderAuthError):
        text = f"the provider does not accept the key in OPENAI_API_KEY: {text}"
    if isinstance(exc, ProviderError):
        return f"{text}{_patience(exc.retry_after)} (the run is saved: go on with --resume)"
    return text


def _patience(seconds: float | None) -> str:
    if not seconds:
        return ""
    wait = f"in {seconds:.0f} s" if seconds <= A_DAY_S else "another day"
    return f"; try again {wait}"


def _fail(text: str, *, status: int = 1) -> int:
    one_line = printable(" ".join(text.split()))
    print(f"error: {one_line}", file=sys.stderr)
    return status


if __name__ == "__main__":
    sys.exit(main())
