"""Run the specification's samples, and hold the list of those that cannot pass yet to its word.

python tools/acceptance.py ../shared/acceptance
"""

import subprocess
import sys
from pathlib import Path

# May only shrink: a sample of it that passes is a failure too.
NOT_YET: frozenset[str] = frozenset()


def main(folder: str) -> int:
    """Print a line per sample; give 1 when any did other than expected."""
    names = sorted(p.stem.partition("_")[0] for p in Path(folder).glob("[ka][0-9]*.py"))
    unexpected = [name for name in names if not _is_as_expected(folder, name)]
    print(f"{len(names)} samples, unexpected: {', '.join(unexpected) or 'none'}")
    return 0 if names and not unexpected else 1


def _is_as_expected(folder: str, name: str) -> bool:
    run = [sys.executable, str(Path(folder) / "run.py"), name]
    done = subprocess.run(run, capture_output=True, text=True, check=False)
    passed = done.returncode == 0
    expected = passed is (name not in NOT_YET)
    print(f"{name:4} {_verdict(passed=passed, expected=expected)}")
    if not (passed or expected):
        print(done.stdout + done.stderr)
    return expected


def _verdict(*, passed: bool, expected: bool) -> str:
    if passed:
        return "passed" if expected else "passed: take it off NOT_YET"
    return "not yet" if expected else "FAILED"


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
