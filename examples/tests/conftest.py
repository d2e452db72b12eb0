"""Lets the tests of the examples import what the examples import."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
