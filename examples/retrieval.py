"""Find the passages of a folder of Markdown files that answer a question, without any model.

python retrieval.py "how late may I hand in a receipt?"
python retrieval.py --folder ~/notes --file todo.md "certificate"
"""

import argparse
import asyncio
import sys
from collections.abc import Iterator
from pathlib import Path
from textwrap import shorten

from agentkit.core.contracts.types import Chunk, Scope
from agentkit.state.vectors import InMemoryVector

SAMPLE = Path(__file__).parent / "data" / "handbook"
QUESTION = "What do I do when a certificate has expired?"
WIDTH = 90
TELLING = 4  # letters: shorter words are in every passage
TENANT = Scope(org_id="example")  # what one tenant puts in, no other one finds


def main(argv: list[str] | None = None) -> int:
    """Run the example and give its exit status."""
    options = _options(argv)
    chunks = [chunk for path in _files(options.folder) for chunk in passages(path)]
    if not chunks:
        print(f"error: there is no Markdown in {options.folder}", file=sys.stderr)
        return 1
    found = asyncio.run(search(chunks, options.question, k=options.k, file=options.file))
    print(f"{options.question} ({len(found)} of {len(chunks)} passages)")
    for score, chunk in found:
        print(f"\n{score:.2f}  {chunk.metadata['file']} > {chunk.metadata['heading']}")
        print(f"      {_shortened(chunk.text)}")
    return 0 if found else 1


async def search(
    chunks: list[Chunk], question: str, *, k: int, file: str | None
) -> list[tuple[float, Chunk]]:
    """Put *chunks* into an index and give the *k* most like *question*; within *file*, if given."""
    index = InMemoryVector()  # with embedder= it compares meanings instead of words
    await index.upsert(TENANT, chunks)
    words = " ".join(word for word in question.split() if len(word) >= TELLING)
    where = None if file is None else {"file": file}
    return await index.search(TENANT, words, k, where)


def passages(path: Path) -> Iterator[Chunk]:
    """Give what stands under each heading of *path*, the heading's words included."""
    sections = path.read_text("utf-8").split("\n#")
    for number, section in enumerate(sections):
        heading, _, body = section.lstrip("#").strip().partition("\n")
        metadata = {"file": path.name, "heading": heading.strip()}
        yield Chunk(f"{path.name}:{number}", f"{heading}\n{body.strip()}", metadata)


def _files(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.md"))


def _shortened(text: str) -> str:
    words = text.partition("\n")[2]
    return shorten(words, WIDTH, placeholder=" …")


def _options(argv: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("question", nargs="?", default=QUESTION)
    parser.add_argument("--folder", type=Path, default=SAMPLE, help="of *.md files")
    parser.add_argument("--file", help="look in this one only")
    parser.add_argument("-k", type=int, default=3, help="how many passages (default: 3)")
    return parser.parse_args(argv)


if __name__ == "__main__":
    sys.exit(main())
