"""Runs of `true` through GNU parallel over ssh to 127.0.0.1, one at a time, all on one connection that is kept
(ControlMaster, which is faster than a connection for each).

The sshd has a port and keys of its own, and ends with the driver.
"""

import os
import subprocess
import sys

import peer


def start_sshd(servers, port):
    """Starts an sshd that accepts a new key; returns the command that logs in by it."""
    folder = servers.folder
    for name in ("host", "user"):
        subprocess.run([peer.program("ssh-keygen"), "-q", "-t", "ed25519", "-N", "", "-f", folder / name], check=True)
    # It drops its privileges in a folder that must exist.
    os.makedirs("/run/sshd", exist_ok=True)
    options = {
        "Port": port, "ListenAddress": "127.0.0.1", "HostKey": folder / "host", "PidFile": "none", "StrictModes": "no",
        "AuthorizedKeysFile": folder / "user.pub", "PasswordAuthentication": "no", "UsePAM": "no",
        "MaxStartups": "100"}
    (folder / "sshd_config").write_text("".join(f"{name} {value}\n" for name, value in options.items()))
    servers.start("sshd", peer.program("sshd"), "-D", "-e", "-f", folder / "sshd_config")
    servers.wait_for(port)
    key = (folder / "host.pub").read_text().split()[:2]
    (folder / "known_hosts").write_text(f"[127.0.0.1]:{port} {' '.join(key)}\n")
    return (f"{peer.program('ssh')} -F none -i {folder / 'user'} -o UserKnownHostsFile={folder / 'known_hosts'}"
            f" -o BatchMode=yes -o ControlMaster=auto -o ControlPath={folder / 'control'} -o ControlPersist=60 -p {port}")


def run(servers, parallel, ssh, count):
    numbers, log = servers.folder / "numbers", servers.folder / "jobs"
    numbers.write_text("".join(f"{number}\n" for number in range(count)))
    process = servers.start(
        "parallel", parallel, "--jobs", 1, "--ssh", ssh, "--sshlogin", "1/127.0.0.1", "--joblog", log,
        "--arg-file", numbers, "/usr/bin/true",
        env=os.environ | {"PARALLEL_HOME": str(servers.folder), "PARALLEL_SHELL": "/bin/sh"})
    if process.wait() != 0:
        sys.exit(f"parallel ended with {process.returncode}")
    rows = [line.split("\t") for line in log.read_text().splitlines()[1:]]
    assert len(rows) == count and all(row[6] == "0" for row in rows)
    # Timed by its own job log, without its start.
    starts = [float(row[2]) for row in rows]
    return max(float(row[2]) + float(row[3]) for row in rows) - min(starts)


def main():
    tasks = peer.task_count()
    parallel = peer.program("parallel")
    version = subprocess.run([parallel, "--version"], capture_output=True, text=True).stdout.split()
    if version[:2] != ["GNU", "parallel"]:
        peer.not_installed("GNU parallel")
    with peer.Servers() as servers:
        ssh = start_sshd(servers, peer.free_port())
        # Opens the connection.
        run(servers, parallel, ssh, 2)
        seconds = run(servers, parallel, ssh, tasks)
        subprocess.run([*ssh.split(), "-O", "exit", "127.0.0.1"], stderr=subprocess.DEVNULL, check=True)
    peer.report("GNU parallel over ssh", version[2], tasks, seconds)


main()
