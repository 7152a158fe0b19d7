"""Null tasks through HyperQueue with a worker of one core. A task is a process."""

import peer
import hyperqueue_job

TASK = ["/bin/true"]


def main():
    tasks = peer.task_count()
    with peer.Servers() as servers, hyperqueue_job.client(servers.folder, cores=1) as client:
        hyperqueue_job.run(client, servers.folder, [TASK] * peer.WARM_UP)
        seconds = hyperqueue_job.run(client, servers.folder, [TASK] * tasks)
    peer.report("HyperQueue", hyperqueue_job.version(), tasks, seconds)


main()
