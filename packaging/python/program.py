"""Puts the program, and the licences of what it contains, into the wheel (a hook of hatchling).

``SKYFARM_WHEEL_ROOT`` is the folder with ``bin/`` and ``licenses/``, as scripts/package makes it. Without it the
wheel has no program, and uses one that is installed otherwise.
"""

import os
import sysconfig
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class ProgramHook(BuildHookInterface):
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        root = os.environ.get("SKYFARM_WHEEL_ROOT")
        if not root:
            return
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{sysconfig.get_platform().replace('-', '_').replace('.', '_')}"
        build_data["force_include"][f"{root}/bin"] = "skyfarm/bin"
        build_data["force_include"][f"{root}/licenses"] = "skyfarm/licenses"
