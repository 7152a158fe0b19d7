"""What the drivers of the peers share: servers that end with them, and how a result is told.

A driver takes the number of tasks, farms them out to one worker of one slot on this machine, and prints how long that
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

# Seconds after which a driver gives up.
PATIENCE = 120
WARM_UP = 50


class Servers:
    """Processes of a peer, and a folder for what they write; both are gone at the end, whatever ends it.

    What anyone prints meanwhile, this process included, is shown only if something fails.
    """

    def __enter__(self):
        catch_signals()
        signal.alarm(PATIENCE)
        self.processes = []
        # A short path: that of a socket has at most 107 bytes.
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
        """Waits until something listens on a port of the loopback interface, and none of the processes has ended."""
        while True:
            try:
                socket.create_connection(("127.0.0.1", port)).close()
                return
            except ConnectionRefusedError:
                time.sleep(0.02)
            if any(process.poll() is not None for process in self.processes):
                sys.exit("a server has ended")


def catch_signals():
    """Lets signals end the driver by an exception, so that it ends its servers."""
    for number in (signal.SIGTERM, signal.SIGALRM, signal.SIGHUP):
        signal.signal(number, lambda number, frame: sys.exit(f"ended by {signal.Signals(number).name}"))


def free_port():
    """A port of the loopback interface that nobody listens on."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


def program(*names):
    """The path of a program, the first of these that is installed, beside the interpreter or on PATH."""
    for name in names:
        path = shutil.which(name, path=str(Path(sys.executable).parent)) or shutil.which(name) or shutil.which(
            name, path="/usr/sbin")
        if path:
            return path
    not_installed(names[0])


def not_installed(name):
    print(f"{name} is not installed; run Benchmarks/peers/install", file=sys.stderr)
    sys.exit(69)


def task_count():
    if len(sys.argv) != 2 or not sys.argv[1].isdecimal() or int(sys.argv[1]) < 1:
        print(f"usage: {Path(sys.argv[0]).name} TASKS", file=sys.stderr)
        sys.exit(2)
    return int(sys.argv[1])


def report(name, version, tasks, seconds):
    print(json.dumps({"tasks": tasks, "seconds": seconds, "name": name, "version": version}))
