"""Null tasks through Dask distributed."""

import dask_peer
import peer


def null(number):
    return 3 * number + 1


dask_peer.measure("Dask distributed", null, peer.value)
