"""Null tasks through GNU parallel with one job at a time. A task is a shell command."""

import os
import subprocess
import sys

import peer


def main():
    tasks = peer.task_count()
    parallel = peer.program("parallel")
    version = subprocess.run([parallel, "--version"], capture_output=True, text=True).stdout.split()
    if version[:2] != ["GNU", "parallel"]:
        peer.not_installed("GNU parallel")
    with peer.Servers() as servers:
        log, numbers = servers.folder / "jobs", servers.folder / "numbers"
        numbers.write_text("".join(f"{number}\n" for number in range(tasks)))
        process = servers.start(
            "parallel", parallel, "--jobs", 1, "--joblog", log, "--arg-file", numbers, "echo $((3 * {} + 1))",
            env=os.environ | {"PARALLEL_HOME": str(servers.folder), "PARALLEL_SHELL": "/bin/sh"})
        if process.wait() != 0:
            sys.exit(f"parallel ended with {process.returncode}")
        results = [int(line) for line in (servers.folder / "parallel.log").read_text().splitlines()]
        rows = [line.split("\t") for line in log.read_text().splitlines()[1:]]
    assert sorted(int(row[0]) for row in rows) == list(range(1, tasks + 1)) and all(row[6] == "0" for row in rows)
    assert sorted(results) == [peer.value(number) for number in range(tasks)]
    # Timed by its own job log, without its start.
    starts = [float(row[2]) for row in rows]
    ends = [float(row[2]) + float(row[3]) for row in rows]
    peer.report("GNU parallel", version[2], tasks, max(ends) - min(starts))


main()
