"""Shared by the drivers of HyperQueue: its server and a worker, from its Python package, and jobs of programs."""

import json
import time
from contextlib import contextmanager

import peer

try:
    from hyperqueue import Job, LocalCluster
    from hyperqueue.cluster import WorkerConfig
    from hyperqueue.ffi import get_version
except ImportError:
    peer.not_installed("HyperQueue")


class Unfinished(Exception):
    pass


@contextmanager
def client(folder, cores):
    """A client of a server with one worker, whose files are in this folder."""
    with LocalCluster(str(folder)) as cluster:
        use_loopback(folder)
        cluster.start_worker(WorkerConfig(cores=cores))
        yield cluster.client()


def use_loopback(folder):
    """Writes the server's address for worker and client, which by default use the machine's name."""
    for file in folder.glob("*/access.json"):
        access = json.loads(file.read_text())
        access["client"]["host"] = access["worker"]["host"] = "127.0.0.1"
        file.write_text(json.dumps(access))


def run(client, folder, programs, results=None):
    """Runs programs, each a task of one core, with their output in a file each. Returns the seconds from the submission to
    the end of the last."""
    job = Job(default_workdir=folder)
    for number, program in enumerate(programs):
        job.program(program, stdout=None if results is None else str(results / str(number)), stderr=None)
    start = time.perf_counter()
    wait(client, client.submit(job).id, len(programs))
    return time.perf_counter() - start


def wait(client, job, tasks):
    """Waits for a job. HyperQueue's own wait polls once per second; an exception in this callback ends it, to poll sooner."""

    def check(states):
        state = states[job]
        if not state["completed"]:
            raise Unfinished
        assert state["finished"] == tasks and state["failed"] == 0

    while True:
        try:
            client.connection.wait_for_jobs([job], check)
            return
        except Unfinished:
            time.sleep(0.01)


def version():
    return get_version().removeprefix("v")
