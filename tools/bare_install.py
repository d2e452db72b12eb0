"""Show that a distribution imports with nothing but what it requires, no extras and no tools.

One that requires nothing must be the only thing installed.
Usage: `python -I tools/bare_install.py agentkit-core agentkit.core`.
"""

import sys
from importlib import import_module
from importlib.metadata import distributions, requires


def main(name: str, *leaves: str) -> int:
    """Import *leaves*; give 1 when *name* requires nothing and something else is installed."""
    for leaf in leaves:
        import_module(leaf)
    installed = sorted(d.name for d in distributions())
    print("installed:", *installed)
    needs = [line for line in requires(name) or [] if "extra ==" not in line]
    return 0 if needs or installed == [name] else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
