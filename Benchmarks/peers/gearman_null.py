"""Null tasks through Gearman: its job server, and a worker and a client in C (gearman_null.c)."""

import json
import subprocess

import peer


def main():
    tasks = peer.task_count()
    server, ends = peer.program("gearmand"), peer.program("gearman_null")
    version = subprocess.run([server, "--version"], capture_output=True, text=True, check=True).stdout.split()[1]
    port = peer.free_port()
    with peer.Servers() as servers:
        servers.start(
            "gearmand", server, "--listen", "127.0.0.1", "--port", port, "--threads", 1, "--log-file", "stderr")
        servers.wait_for(port)
        servers.start("worker", ends, "work", port)
        client = subprocess.run(
            [ends, "submit", str(port), str(peer.WARM_UP), str(tasks)], stdout=subprocess.PIPE, check=True)
    peer.report("Gearman", version, tasks, json.loads(client.stdout))


main()
