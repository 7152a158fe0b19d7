"""The command: runs the program of this package in place of the interpreter."""

from __future__ import annotations

import os
import sys

from ._errors import SkyfarmError
from ._program import program


def main() -> None:
    """Becomes the program, with the arguments of this process."""
    try:
        file = program()
        os.execv(file, [file, *sys.argv[1:]])
    except (OSError, SkyfarmError) as failure:
        sys.exit(f"skyfarm: {failure}")


if __name__ == "__main__":
    main()
