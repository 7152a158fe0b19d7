"""Tasks through Dask distributed: a scheduler, a worker with one thread, and this process as the client."""

import os
import sys
import time

import peer

try:
    import distributed
except ImportError:
    peer.not_installed("Dask distributed")


# Tiny tasks need not wait at the scheduler until the worker has room.
SCHEDULER = {"DASK_DISTRIBUTED__SCHEDULER__WORKER_SATURATION": "inf"}


def measure(name, function, expected):
    """Measures calls of a function of a number, whose results are those of `expected`."""
    tasks = peer.task_count()
    port = peer.free_port()
    with peer.Servers() as servers:
        servers.start(
            "scheduler", sys.executable, "-m", "distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", port,
            "--no-dashboard", env=os.environ | SCHEDULER)
        servers.wait_for(port)
        servers.start(
            "worker", sys.executable, "-m", "distributed.cli.dask_worker", f"tcp://127.0.0.1:{port}", "--host",
            "127.0.0.1", "--nthreads", 1, "--no-nanny", "--no-dashboard")
        client = distributed.Client(f"tcp://127.0.0.1:{port}")
        client.wait_for_workers(1)
        run(client, peer.WARM_UP, function, expected)
        seconds = run(client, tasks, function, expected)
        # Only on success: after a failure it would wait for the tasks.
        client.close()
    peer.report(name, distributed.__version__, tasks, seconds)


def run(client, tasks, function, expected):
    start = time.perf_counter()
    # Not pure, so that no key is hashed from the arguments.
    results = client.gather(client.map(function, range(tasks), pure=False))
    seconds = time.perf_counter() - start
    assert results == [expected(number) for number in range(tasks)]
    return seconds
