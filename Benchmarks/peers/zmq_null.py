"""Null tasks through a bare ZeroMQ pipeline: a ventilator, a worker and this process as the sink.

Tasks are not tracked: a lost one would not be detected. ZeroMQ batches messages itself.
"""

import multiprocessing
import time

import peer

try:
    import zmq
except ImportError:
    peer.not_installed("ZeroMQ")


def ventilate(port, tasks, go):
    with zmq.Context() as context, context.socket(zmq.PUSH) as out:
        out.bind(f"tcp://127.0.0.1:{port}")
        for number in range(peer.WARM_UP):
            out.send(number.to_bytes(4, "big"))
        go.wait()
        for number in range(tasks):
            out.send(number.to_bytes(4, "big"))


def work(from_port, to_port):
    with zmq.Context() as context, context.socket(zmq.PULL) as tasks, context.socket(zmq.PUSH) as results:
        tasks.connect(f"tcp://127.0.0.1:{from_port}")
        results.connect(f"tcp://127.0.0.1:{to_port}")
        while True:
            results.send(peer.value(int.from_bytes(tasks.recv(), "big")).to_bytes(4, "big"))


def main():
    tasks = peer.task_count()
    port = peer.free_port()
    processes = multiprocessing.get_context("spawn")
    go = processes.Event()
    with peer.Servers(), zmq.Context() as context, context.socket(zmq.PULL) as sink:
        sink_port = sink.bind_to_random_port("tcp://127.0.0.1")
        # Daemons end with this process.
        processes.Process(target=ventilate, args=(port, tasks, go), daemon=True).start()
        processes.Process(target=work, args=(port, sink_port), daemon=True).start()
        for _ in range(peer.WARM_UP):
            sink.recv()
        start = time.perf_counter()
        go.set()
        results = [sink.recv() for _ in range(tasks)]
        seconds = time.perf_counter() - start
    assert [int.from_bytes(result, "big") for result in results] == [
        peer.value(number) for number in range(tasks)]
    peer.report("ZeroMQ", f"{zmq.zmq_version()} with pyzmq {zmq.__version__}", tasks, seconds)


if __name__ == "__main__":
    main()
