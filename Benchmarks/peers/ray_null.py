"""Null tasks through Ray: its servers and one worker process, on one processor, and this process as the driver."""

import os
import time

import peer

# No usage reports.
os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
try:
    import ray
except ImportError:
    peer.not_installed("Ray")


def main():
    tasks = peer.task_count()
    with peer.Servers() as servers:
        ray.init(
            address="local", num_cpus=1, include_dashboard=False, _node_ip_address="127.0.0.1",
            _temp_dir=str(servers.folder), object_store_memory=200 << 20, log_to_driver=False, logging_level="error")
        # Ray's signal handlers would end the process at once.
        peer.catch_signals()
        try:
            run_tasks(peer.WARM_UP)
            seconds = run_tasks(tasks)
        finally:
            ray.shutdown()
    peer.report("Ray", ray.__version__, tasks, seconds)


@ray.remote(num_cpus=1)
def null(number):
    return peer.value(number)


def run_tasks(tasks):
    start = time.perf_counter()
    results = ray.get([null.remote(number) for number in range(tasks)])
    seconds = time.perf_counter() - start
    assert results == [peer.value(number) for number in range(tasks)]
    return seconds


main()
