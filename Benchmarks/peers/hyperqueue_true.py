"""Runs of `true` through HyperQueue with a worker of one core, without files for their output."""

import hyperqueue_job
import peer


def main():
    tasks = peer.task_count()
    with peer.Servers() as servers, hyperqueue_job.client(servers.folder, cores=1) as client:
        hyperqueue_job.run(client, servers.folder, [["/usr/bin/true"]] * peer.WARM_UP)
        seconds = hyperqueue_job.run(client, servers.folder, [["/usr/bin/true"]] * tasks)
    peer.report("HyperQueue", hyperqueue_job.version(), tasks, seconds)


main()
