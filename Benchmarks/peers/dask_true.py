"""Runs of `true` by `subprocess` through Dask distributed: a scheduler, a worker with one thread, and a client."""

import os
import subprocess
import sys
import time

import peer

try:
    import distributed
except ImportError:
    peer.not_installed("Dask distributed")


# Tiny tasks need not wait at the scheduler until the worker has room.
SCHEDULER = {"DASK_DISTRIBUTED__SCHEDULER__WORKER_SATURATION": "inf"}


def run_program(number):
    return subprocess.run(["/usr/bin/true"]).returncode


def run(client, tasks):
    start = time.perf_counter()
    # Not pure, so that no key is hashed from the arguments.
    codes = client.gather(client.map(run_program, range(tasks), pure=False))
    seconds = time.perf_counter() - start
    assert codes == [0] * tasks
    return seconds


def main():
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
        run(client, peer.WARM_UP)
        seconds = run(client, tasks)
        # Only on success: after a failure it would wait for the tasks.
        client.close()
    peer.report("Dask with subprocess", distributed.__version__, tasks, seconds)


main()
