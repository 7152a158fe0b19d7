"""Null tasks through HyperQueue with a worker of one core. A task is a process, whose output goes to a file.

Its Python package submits single tasks only; job arrays need its command `hq`, which neither PyPI nor Debian has.
"""

import peer
import hyperqueue_job


def programs(count):
    return [["/usr/bin/expr", "3", "*", str(number), "+", "1"] for number in range(count)]


def main():
    tasks = peer.task_count()
    with peer.Servers() as servers, hyperqueue_job.client(servers.folder, cores=1) as client:
        hyperqueue_job.run(client, servers.folder, programs(peer.WARM_UP))
        results = servers.folder / "results"
        results.mkdir()
        seconds = hyperqueue_job.run(client, servers.folder, programs(tasks), results)
        assert [int((results / str(number)).read_text()) for number in range(tasks)] == [
            peer.value(number) for number in range(tasks)]
    peer.report("HyperQueue", hyperqueue_job.version(), tasks, seconds)


main()
