"""Searches a packet capture of a scan for clear text, for the scenarios of the lab.

    capture.py FILE.pcapng IMAGE.fits CATALOGUE.csv WORD...

Reassembles each direction of each TCP connection and searches it for 64 consecutive bytes of the image, as 32-bit floats
in either byte order or as in the file, for numbers of the catalogue, and for the words. Prints a line for each match with
its port, the number of bytes searched per port, and the TLS versions chosen by servers.
"""

import csv
import subprocess
import sys

import numpy
from astropy.io import fits


def fields(path, names, *options):
    command = ["tshark", "-r", path, *options, "-T", "fields", "-E", "separator=;", "-E", "occurrence=a"]
    for name in names:
        command += ["-e", name]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return [line.split(";") for line in output.splitlines()]


def streams(path):
    """The bytes of each direction, with the server's port."""
    names = ["tcp.stream", "tcp.srcport", "tcp.dstport", "tcp.flags.syn", "tcp.flags.ack", "tcp.seq", "tcp.payload"]
    listeners, segments = {}, {}
    for stream, source, target, syn, ack, sequence, payload in fields(path, names, "-Y", "tcp"):
        if syn in ("1", "True") and ack in ("0", "False"):
            listeners[stream] = int(target)
        if payload:
            segments.setdefault((stream, source), {})[int(sequence)] = bytes.fromhex(payload.replace(":", ""))
    for (stream, _), parts in segments.items():
        joined, end = bytearray(), None
        for sequence, payload in sorted(parts.items()):
            # Retransmitted bytes.
            skip = 0 if end is None else max(0, end - sequence)
            joined += payload[skip:]
            end = max(end or 0, sequence + len(payload))
        yield listeners.get(stream, 0), bytes(joined)


def runs(path):
    """All runs of 64 bytes at multiples of 64 in a row, except those of one repeated byte."""
    image = fits.getdata(path)
    rows = [image.astype("<f4"), image.astype(">f4"), image]
    for row in rows:
        width = row.shape[1] * row.dtype.itemsize
        data = numpy.frombuffer(row.tobytes(), numpy.uint8).reshape(row.shape[0], width)
        data = data[:, : width // 64 * 64].reshape(-1, 64)
        yield from (run.tobytes() for run in data[(data != data[:, :1]).any(axis=1)])


def numbers(path):
    with open(path) as file:
        for row in csv.DictReader(file):
            for name in ("x", "y", "flux"):
                if name in row:
                    value = float(row[name])
                    kinds = ("<f8", ">f8") if value != round(value) else ()
                    yield from (numpy.array(value, kind).tobytes() for kind in kinds)


def findings(data, wanted):
    """Whether the data contain one of the byte strings, which are indexed by their first eight bytes."""
    for shift in range(8):
        words = numpy.frombuffer(data, numpy.uint64, (len(data) - shift) // 8, shift)
        for place in numpy.flatnonzero(numpy.isin(words, wanted["keys"])):
            start = shift + 8 * int(place)
            if any(data.startswith(one, start) for one in wanted["all"][data[start : start + 8]]):
                return True
    return False


def indexed(strings):
    table = {}
    for one in strings:
        table.setdefault(one[:8], set()).add(one)
    return {"all": table, "keys": numpy.array([int.from_bytes(key, "little") for key in table], numpy.uint64)}


def main(path, image, catalogue, *words):
    wanted = {"pixels": indexed(runs(image)), "numbers": indexed(numbers(catalogue))}
    count = {}
    for port, data in streams(path):
        count[port] = count.get(port, 0) + len(data)
        for name, strings in wanted.items():
            if len(data) >= 16 and findings(data, strings):
                print(f"port {port}: {name} in the clear")
        for word in words:
            if word.encode() in data:
                print(f"port {port}: {word} in the clear")
    for port, bytes_there in sorted(count.items()):
        print(f"port {port}: {bytes_there} bytes searched")
    names = ["tcp.srcport", "tls.handshake.version", "tls.handshake.extensions.supported_version"]
    chosen = {}
    for port, version, supported in fields(path, names, "-Y", "tls.handshake.type == 2", "-d", "tcp.port==4870,tls"):
        key = (port, supported or version)
        chosen[key] = chosen.get(key, 0) + 1
    for (port, version), number in sorted(chosen.items()):
        print(f"port {port}: {number} sessions of version {version}")


if __name__ == "__main__":
    main(*sys.argv[1:])
