"""Unauthenticated clients of a node's port, for the scenarios of the lab.

    unauthenticated.py record PORT FILE                        writes the first bytes of a client, its ClientHello, to FILE
    unauthenticated.py flood ADDR PORT HELLO COUNT SEED        sends COUNT streams of random bytes, one after the other
    unauthenticated.py hold ADDR PORT HELLO IDLE SLOW FROM...  keeps IDLE silent and SLOW slow connections until SIGTERM

A stream of the flood is one of: random bytes; a TLS record header and random bytes; the recorded hello, truncated or
modified, and random bytes. Slow connections send the hello byte by byte, five per second. Connections closed by the node
are reopened after a second. FROM are the source addresses, used in turn.
"""

import random
import resource
import selectors
import signal
import socket
import struct
import sys
import time


def record(port, path):
    with socket.create_server(("", int(port))) as listener:
        print("listening", flush=True)
        peer = listener.accept()[0]
        with peer, open(path, "wb") as file:
            file.write(peer.recv(4096))


def stream(chance, hello):
    kind = chance.randrange(4)
    noise = chance.randbytes(chance.randrange(3000))
    if kind == 0:
        return noise
    if kind == 1:
        # Headers of a record and of a ClientHello in it, with arbitrary lengths.
        size = chance.choice([len(noise), chance.randrange(1 << 14), chance.randrange(1 << 16)])
        return bytes([22, 3, chance.randrange(5)]) + struct.pack(">H", size) + bytes([1, 0]) + noise
    changed = bytearray(hello)
    if kind == 2:
        for _ in range(chance.randrange(1, 9)):
            changed[chance.randrange(len(changed))] = chance.randrange(256)
        return bytes(changed) + noise[: chance.randrange(1 + len(noise))]
    return hello[: chance.randrange(len(hello) + 1)] + noise


def flood(address, port, path, count, seed):
    hello = open(path, "rb").read()
    chance = random.Random(int(seed))
    open_ones = []
    refused = 0
    for _ in range(int(count)):
        try:
            peer = socket.create_connection((address, int(port)), timeout=10)
            peer.setblocking(False)
            peer.send(stream(chance, hello))
        except (BlockingIOError, ConnectionError):
            pass
        except OSError:
            refused += 1
            continue
        # Some stay open for a while, some are closed at once, and some are reset.
        if chance.randrange(8) == 0:
            peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        open_ones.append(peer)
        if len(open_ones) > chance.randrange(60):
            open_ones.pop(chance.randrange(len(open_ones))).close()
    for peer in open_ones:
        peer.close()
    print(f"{count} streams with seed {seed}, {refused} could not connect")


def hold(address, port, path, idle, slow, *sources):
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))
    hello = open(path, "rb").read()
    selector = selectors.DefaultSelector()
    due = [(0.0, number) for number in range(int(idle) + int(slow))]
    sent, peers = {}, {}
    made = closed = greatest = 0
    ends = []
    signal.signal(signal.SIGTERM, lambda *_: ends.append(True))
    beat = time.monotonic()

    def drop(number):
        nonlocal closed
        peer = peers.pop(number)
        selector.unregister(peer)
        peer.close()
        sent.pop(number, None)
        closed += 1
        due.append((time.monotonic() + 1, number))

    while not ends:
        now = time.monotonic()
        later = []
        for when, number in due:
            if when > now:
                later.append((when, number))
                continue
            peer = socket.socket()
            peer.setblocking(False)
            if sources:
                peer.bind((sources[number % len(sources)], 0))
            peer.connect_ex((address, int(port)))
            made += 1
            peers[number] = peer
            if number >= int(idle):
                sent[number] = 0
            selector.register(peer, selectors.EVENT_READ, number)
        due = later
        if len(peers) > greatest:
            greatest = len(peers)
            print(f"holds {greatest}", flush=True)
        for key, _ in selector.select(0.05):
            try:
                if key.fileobj.recv(4096):
                    continue
            except BlockingIOError:
                continue
            except OSError:
                pass
            drop(key.data)
        if time.monotonic() - beat >= 0.2:
            beat = time.monotonic()
            for number in list(sent):
                place = sent[number] % len(hello)
                try:
                    peers[number].send(hello[place : place + 1])
                    sent[number] += 1
                except BlockingIOError:
                    pass
                except OSError:
                    drop(number)
    print(f"held {greatest} at once, {limit} descriptors allowed; {made} made, {closed} closed by the node", flush=True)


if __name__ == "__main__":
    {"record": record, "flood": flood, "hold": hold}[sys.argv[1]](*sys.argv[2:])
