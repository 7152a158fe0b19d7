"""Null tasks through a bare ZeroMQ pipeline whose ventilator, worker and sink are in C (zmq_null.c)."""

import subprocess
import sys

import peer


def main():
    tasks = peer.task_count()
    ends = peer.program("zmq_null")
    version = subprocess.run([ends, "version"], capture_output=True, text=True, check=True).stdout.strip()
    to_worker, to_sink = (f"tcp://127.0.0.1:{peer.free_port()}" for _ in range(2))
    counts = [str(peer.WARM_UP), str(tasks)]
    with peer.Servers() as servers:
        sink = subprocess.Popen([ends, "sink", to_sink] + counts, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        ventilator = subprocess.Popen([ends, "ventilate", to_worker] + counts, stdin=subprocess.PIPE)
        servers.processes += [sink, ventilator]
        servers.start("worker", ends, "work", to_worker, to_sink)
        if sink.stdout.readline() != b"ready\n":
            sys.exit("the sink has ended")
        for process in (sink, ventilator):
            process.stdin.write(b"\n")
            process.stdin.flush()
        seconds = float(sink.stdout.readline())
    peer.report("ZeroMQ in C", version, tasks, seconds)


main()
