"""Shared by the drivers of the peers: servers that end with the driver, and the format of results.

A driver takes the number of tasks, runs them on one worker of one slot on this machine, and prints how long that
took, without start and warm-up, as JSON. It ends with 69 if the peer is not installed.
"""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

# Time-out of a driver in seconds.
TIME_OUT = 120
WARM_UP = 50


class Servers:
    """Processes of a peer and their temporary folder, which are removed however the driver ends.

    The output of these processes and of this one is shown only if something fails.
    """

    def __init__(self, time_out=TIME_OUT):
        self.time_out = time_out

    def __enter__(self):
        catch_signals()
        signal.alarm(self.time_out)
        self.processes = []
        # A short path: a socket's path is limited to 107 bytes.
        self.folder = Path(tempfile.mkdtemp(prefix="peer-", dir="/tmp"))
        self.output = os.dup(1)
        with open(self.folder / "driver.log", "w") as log:
            os.dup2(log.fileno(), 1)
        return self

    def __exit__(self, kind, error, trace):
        signal.alarm(0)
        sys.stdout.flush()
        os.dup2(self.output, 1)
        for process in reversed(self.processes):
            process.terminate()
        for process in self.processes:
            try:
                process.wait(2)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        if error is not None:
            for log in self.folder.glob("*.log"):
                sys.stderr.write(log.read_text(errors="replace")[-2000:])
        shutil.rmtree(self.folder, ignore_errors=True)

    def start(self, name, *command, **options):
        """Starts a program."""
        with open(self.folder / f"{name}.log", "w") as log:
            process = subprocess.Popen(
                [str(word) for word in command], stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=self.folder,
                **options)
        self.processes.append(process)
        return process

    def wait_for(self, port):
        """Waits until a port of the loopback interface accepts connections; fails if a process ends."""
        while True:
            try:
                socket.create_connection(("127.0.0.1", port)).close()
                return
            except ConnectionRefusedError:
                time.sleep(0.02)
            if any(process.poll() is not None for process in self.processes):
                sys.exit("a server has ended")


def catch_signals():
    """Turns signals into exceptions, so that the driver ends its servers."""
    for number in (signal.SIGTERM, signal.SIGALRM, signal.SIGHUP):
        signal.signal(number, lambda number, frame: sys.exit(f"ended by {signal.Signals(number).name}"))


def free_port():
    """A free port of the loopback interface."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


def program(*names):
    """The path of the first installed program of these names, beside the interpreter or on PATH."""
    for name in names:
        path = shutil.which(name, path=str(Path(sys.executable).parent)) or shutil.which(name) or shutil.which(
            name, path="/usr/sbin")
        if path:
            return path
    not_installed(names[0])


def not_installed(name):
    print(f"{name} is not installed; run Benchmarks/peers/install", file=sys.stderr)
    sys.exit(69)


def value(number):
    """The output of a null task, computed from its identity."""
    return 3 * number + 1


def task_count():
    if len(sys.argv) != 2 or not sys.argv[1].isdecimal() or int(sys.argv[1]) < 1:
        print(f"usage: {Path(sys.argv[0]).name} TASKS", file=sys.stderr)
        sys.exit(2)
    return int(sys.argv[1])


def report(name, version, tasks, seconds):
    print(json.dumps({"tasks": tasks, "seconds": seconds, "name": name, "version": version}))
