"""Finds the sources in sky images on all machines of a local network at once.

`scan` takes a file or an array and returns a table; `scan_many` scans the files of a night; `nodes` lists the machines
that take part, and `Node` makes this one take part. `map` runs a program of the nodes' owners on many files, or a
function of theirs for many values. `combine` makes masters of raw frames, and `calibrate` reduces frames with them.
`skyfarm.sep` has the functions of the package sep.
"""

from ._calibrate import CalibratedFrame, calibrate, combine
from ._call import CallResult
from ._catalogue import Catalogue
from ._errors import ClusterKeyError, IncompleteError, InputError, NoNodeError, OutputError, SkyfarmError, UsageError
from ._live import LivePage
from ._map import MapResult, map
from ._nodes import Node, NodeInfo, nodes
from ._program import program
from ._progress import Progress
from ._scan import Result, scan, scan_many
from ._version import __version__
from ._view import Page, view

__all__ = [
    "CalibratedFrame",
    "CallResult",
    "Catalogue",
    "ClusterKeyError",
    "IncompleteError",
    "InputError",
    "LivePage",
    "MapResult",
    "NoNodeError",
    "Node",
    "NodeInfo",
    "OutputError",
    "Page",
    "Progress",
    "Result",
    "SkyfarmError",
    "UsageError",
    "__version__",
    "calibrate",
    "combine",
    "map",
    "nodes",
    "program",
    "scan",
    "scan_many",
    "view",
]
