"""What the tests of the examples see: what an example imports, and no third party's tests."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

# The package of a third party brings its own tests, which `nox -s third_party` runs.
collect_ignore = ["third_party_store"]
