"""What agentkit is made of: contracts, primitives and runtime, on the standard library alone."""

import sys

from agentkit.core import _namespace

_namespace.warn_if_regular(sys.modules["agentkit"])
