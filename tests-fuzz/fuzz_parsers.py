"""Coverage-guided fuzzing of what reads a provider's bytes: `fuzz_parsers.py PARSER SECONDS`.

Whatever the bytes and wherever they are cut, a parser gives what it gives of the whole input, or a
`ProviderError`, and what it gives can be stored.
"""

import json
import pickle
import sys
import tempfile
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

from fuzz_samples import SAMPLES, TOKENS

# It has no types, and is where it runs only.
atheris: Any = import_module("atheris")

with atheris.instrument_imports(include=["agentkit.models"]):
    from agentkit.core.contracts.content import content_block_to_dict
    from agentkit.core.contracts.errors import ProviderError
    from agentkit.core.contracts.llm import CompletionEvent, ReasoningDelta, TextDelta
    from agentkit.models.codecs import (
        NdjsonParser,
        ServerSentEventParser,
        anthropic_messages,
        chat_completions,
        error_from_response,
        gemini,
        ollama_chat,
    )
    from agentkit.models.codecs._decoding import Decoder
    from agentkit.models.codecs.embeddings import read_vectors

_MOST = 400  # bytes of an event: few, so that the bound is met as well


def pieces_of(data: bytes, seed: int) -> Iterator[bytes]:
    """Give *data* in pieces whose lengths *seed* decides; 0 leaves it whole."""
    at, step = 0, seed
    while at < len(data):
        end = at + 1 + step % 9 if seed else len(data)
        yield data[at:end]
        at, step = end, step * 31 % 251 + 1


def read_events(data: bytes, seed: int) -> object:
    """Give what the parser of server-sent events makes of *data*."""
    parser = ServerSentEventParser(max_event_bytes=_MOST)
    events = [event for piece in pieces_of(data, seed) for event in parser.feed(piece)]
    events += parser.close()
    return events, parser.stray, failure_of(parser.check)


def read_lines(data: bytes, seed: int) -> object:
    """Give what the parser of JSON lines makes of *data*."""
    parser = NdjsonParser(max_line_bytes=_MOST)
    lines = [line for piece in pieces_of(data, seed) for line in parser.feed(piece)]
    lines += parser.close()
    return lines, failure_of(parser.check)


def reader_of(make: Callable[..., Decoder]) -> Callable[[bytes, int], object]:
    """Give what reads by a decoder that *make* makes."""

    def read(data: bytes, seed: int) -> object:
        decoder = make(provider="fuzz")
        seen = [event for piece in pieces_of(data, seed) for event in decoder.feed(piece)]
        ending: object = None
        try:
            *rest, last = decoder.close()
        except ProviderError as error:
            ending = told(error)
        else:
            seen += [event for event in rest if not isinstance(event, CompletionEvent)]
            ending = stored(last) if isinstance(last, CompletionEvent) else "no completion"
        texts = "".join(event.text for event in seen if isinstance(event, TextDelta))
        thoughts = "".join(event.text for event in seen if isinstance(event, ReasoningDelta))
        return texts, thoughts, ending

    return read


def read_error(data: bytes, seed: int) -> object:
    """Give the error that *data* is as the body of an answer that is none."""
    return told(
        error_from_response(400 + seed, data, headers={"retry-after": data[:9].decode("latin-1")})
    )


def read_embeddings(data: bytes, _: int) -> object:
    """Give the vectors in *data*."""
    return failure_of(lambda: read_vectors(data, wanted=2))


def failure_of(act: Callable[[], object]) -> object:
    """Give what *act* raises, as `told` gives it, or None."""
    try:
        act()
    except ProviderError as error:
        return told(error)
    return None


def told(error: ProviderError) -> object:
    """Give what *error* says, which survives being pickled."""
    pickle.loads(pickle.dumps(error))  # noqa: S301 - just made
    return error.error_type, error.error_class, error.output_started, error.code


def stored(event: CompletionEvent) -> object:
    """Give the answer as JSON, without the ids that were made up for it."""
    blocks = [content_block_to_dict(block) for block in event.content]
    text = json.dumps([{**block, "call_id": ""} for block in blocks], allow_nan=False)
    return text, event.usage, event.finish_reason, event.stop_kind


def in_hex(word: str) -> str:
    """Give *word* as a dictionary of libFuzzer has it."""
    return "".join(f"\\x{byte:02x}" for byte in word.encode())


PARSERS: dict[str, Callable[[bytes, int], object]] = {
    "sse": read_events,
    "ndjson": read_lines,
    "chat_completions": reader_of(chat_completions.ResponseDecoder),
    "anthropic_messages": reader_of(anthropic_messages.ResponseDecoder),
    "gemini": reader_of(gemini.ResponseDecoder),
    "ollama_chat": reader_of(ollama_chat.ResponseDecoder),
    "errors": read_error,
    "embeddings": read_embeddings,
}


def main(name: str, seconds: str) -> None:
    """Fuzz the parser *name* for so many *seconds*."""
    read = PARSERS[name]

    def check(data: bytes) -> None:
        seed, body = data[0] if data else 0, data[1:]
        given = read(body, seed)
        if name != "errors" and given != (whole := read(body, 0)):
            raise AssertionError(f"cut by {seed}: {given!r}\nwhole: {whole!r}")

    with tempfile.TemporaryDirectory() as folder:
        for number, sample in enumerate(SAMPLES[name]):
            Path(folder, str(number)).write_bytes(b"\0" + sample)
            Path(folder, f"{number}-cut").write_bytes(b"\7" + sample)
        words = Path(folder, "words.dict")
        words.write_text("".join(f'"{in_hex(word)}"\n' for word in TOKENS), "ascii")
        bounds = [
            f"-max_total_time={seconds}",
            "-max_len=4096",
            "-timeout=20",
            "-rss_limit_mb=1024",
        ]
        atheris.Setup([sys.argv[0], folder, f"-dict={words}", *bounds], check)
        atheris.Fuzz()


if __name__ == "__main__":
    main(*sys.argv[1:])
