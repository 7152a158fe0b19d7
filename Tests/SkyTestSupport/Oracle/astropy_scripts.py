"""Runs scripts, each in a copy of this process, which has imported astropy: that takes half a second.

Prints a line when it can begin. Then each line of standard input is a script, as a JSON object: its words, which are
those of a command line after `python3`, and the names of the files that are its standard input, output and error. When
it has ended, its exit status is printed.
"""
import json
import os
import runpy
import sys
import traceback

import astropy.coordinates
import astropy.io.fits
import astropy.table
import astropy.wcs


def run(words, files):
    for target, name in enumerate(files):
        os.dup2(os.open(name, os.O_WRONLY if target else os.O_RDONLY), target)
    sys.stdin = open(0)
    try:
        if words[0] == "-c":
            sys.argv = words[:1] + words[2:]
            exec(words[1], {"__name__": "__main__"})
        else:
            sys.argv = words
            runpy.run_path(words[0], run_name="__main__")
        return 0
    except SystemExit as end:
        if isinstance(end.code, str):
            print(end.code, file=sys.stderr)
        return end.code if isinstance(end.code, int) else 1 if end.code else 0
    except BaseException:
        traceback.print_exc()
        return 1


print("ready", flush=True)
for line in iter(sys.stdin.readline, ""):
    request = json.loads(line)
    child = os.fork()
    if child == 0:
        status = run(**request)
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
