"""Commands of the shell through HyperQueue with a worker of two cores: the lines of a file, each a task of one core."""

import sys
from pathlib import Path

import peer
import hyperqueue_job

# A job of many images on a busy machine takes longer than null tasks.
TIME_OUT = 3600


def main():
    if len(sys.argv) != 2:
        print(f"usage: {Path(sys.argv[0]).name} FILE", file=sys.stderr)
        sys.exit(2)
    commands = [["/bin/sh", "-c", line] for line in Path(sys.argv[1]).read_text().splitlines()]
    with peer.Servers(TIME_OUT) as servers, hyperqueue_job.client(servers.folder, cores=2) as client:
        hyperqueue_job.run(client, servers.folder, [["/bin/true"]] * peer.WARM_UP)
        seconds = hyperqueue_job.run(client, servers.folder, commands)
    peer.report("HyperQueue", hyperqueue_job.version(), len(commands), seconds)


main()
