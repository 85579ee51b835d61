"""``python -m nodeorder``: the command ``nodeorder`` that was installed with the package."""

from __future__ import annotations

import os
import sys
import sysconfig


def command() -> str | None:
    """Finds the path of the command: in the folder of this installation's scripts, or in that of the user."""
    schemes = [sysconfig.get_default_scheme(), sysconfig.get_preferred_scheme("user")]
    paths = [os.path.join(sysconfig.get_path("scripts", scheme), "nodeorder") for scheme in schemes]
    return next((path for path in paths if os.access(path, os.X_OK)), None)


def main() -> int:
    """Becomes the command; 1 where the package came without it."""
    path = command()
    if path is None:
        print("nodeorder: found no command; expected a wheel that has it, not one built by pip", file=sys.stderr)
        return 1
    sys.stdout.flush()
    os.execv(path, ["nodeorder", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
