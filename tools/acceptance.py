"""Run the specification's samples: each prints what its page says it does.

python tools/acceptance.py ../shared/acceptance
"""

import subprocess
import sys
from pathlib import Path


def main(folder: str) -> int:
    """Print a line per sample; give 1 when any failed, or when there is none."""
    names = sorted(p.stem.partition("_")[0] for p in Path(folder).glob("[ka][0-9]*.py"))
    failed = [name for name in names if not _passes(folder, name)]
    print(f"{len(names)} samples, failed: {', '.join(failed) or 'none'}")
    return 0 if names and not failed else 1


def _passes(folder: str, name: str) -> bool:
    run = [sys.executable, str(Path(folder) / "run.py"), name]
    done = subprocess.run(run, capture_output=True, text=True, check=False)
    passed = done.returncode == 0
    print(f"{name:4} {'passed' if passed else 'FAILED'}")
    if not passed:
        print(done.stdout + done.stderr)
    return passed


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
