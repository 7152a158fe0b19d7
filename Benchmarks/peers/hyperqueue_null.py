"""Null tasks through HyperQueue: its server and a worker of one core, from its Python package. A task is a process."""

import json
import time

import peer

try:
    from hyperqueue import Job, LocalCluster
    from hyperqueue.cluster import WorkerConfig
    from hyperqueue.ffi import get_version
except ImportError:
    peer.not_installed("HyperQueue")


class Unfinished(Exception):
    pass


def main():
    tasks = peer.task_count()
    with peer.Servers() as servers, LocalCluster(str(servers.folder)) as cluster:
        use_loopback(servers.folder)
        cluster.start_worker(WorkerConfig(cores=1))
        client = cluster.client()
        run_tasks(client, servers.folder, peer.WARM_UP)
        seconds = run_tasks(client, servers.folder, tasks)
    peer.report("HyperQueue", get_version().removeprefix("v"), tasks, seconds)


def use_loopback(folder):
    """Writes the server's address for worker and client, which by default use the machine's name."""
    for file in folder.glob("*/access.json"):
        access = json.loads(file.read_text())
        access["client"]["host"] = access["worker"]["host"] = "127.0.0.1"
        file.write_text(json.dumps(access))


def run_tasks(client, folder, tasks):
    job = Job(default_workdir=folder)
    for _ in range(tasks):
        job.program(["/bin/true"], stdout=None, stderr=None)
    start = time.perf_counter()
    wait(client, client.submit(job).id, tasks)
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


main()
