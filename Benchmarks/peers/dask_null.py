"""Null tasks through Dask distributed: a scheduler, a worker with one thread, and this process as the client."""

import sys
import time

import peer

try:
    import distributed
except ImportError:
    peer.not_installed("Dask distributed")


def null(number):
    return number


def main():
    tasks = peer.task_count()
    port = peer.free_port()
    with peer.Servers() as servers:
        servers.start(
            "scheduler", sys.executable, "-m", "distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", port,
            "--no-dashboard")
        servers.wait_for(port)
        servers.start(
            "worker", sys.executable, "-m", "distributed.cli.dask_worker", f"tcp://127.0.0.1:{port}", "--host",
            "127.0.0.1", "--nthreads", 1, "--no-nanny", "--no-dashboard")
        client = distributed.Client(f"tcp://127.0.0.1:{port}")
        client.wait_for_workers(1)
        farm_out(client, peer.WARM_UP)
        seconds = farm_out(client, tasks)
        # Not where that fails: it would wait for the tasks.
        client.close()
    peer.report("Dask distributed", distributed.__version__, tasks, seconds)


def farm_out(client, tasks):
    start = time.perf_counter()
    # Impure, so that no key is computed from the arguments.
    results = client.gather(client.map(null, range(tasks), pure=False))
    seconds = time.perf_counter() - start
    assert results == list(range(tasks))
    return seconds


main()
