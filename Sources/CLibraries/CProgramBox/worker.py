# The program of a worker: it calls functions of one module for the node that has started it. It follows _values.py in
# one text, and runs with the words FOLDER and MODULE; descriptor 3 is the channel to the node, of which each message is
# an object in JSON, then, after a zero byte, a value, unless that is in a file in memory that comes with the message.
# An answer has the number of its call. Before it, a message of one byte says that the call begins.

import hashlib
import importlib
import importlib.machinery
import mmap
import os
import socket
import sys
import traceback

_INLINE = 32768
_LINES, _LINE = 20, 1000
_BEGINS = b"\1"


def _checked(path):
    """The parts of the dotted path of a function after the module's name."""
    parts = path.split(".")
    if len(parts) < 2 or not all(part.isidentifier() and not part.startswith("_") for part in parts):
        raise LookupError(f"{path} is not the name of a function of a module")
    return parts


def _function(root, path):
    """The function of the module; nothing that the module has only imported, unless its __all__ names it."""
    parts = _checked(path)
    owner = root
    if parts[0] != root.__name__:
        raise LookupError(f"{path} is not in the module {root.__name__}")
    for part in parts[1:-1]:
        name = f"{owner.__name__}.{part}"
        try:
            owner = importlib.import_module(name)
        except ModuleNotFoundError as problem:
            if problem.name is not None and not (name + ".").startswith(problem.name + "."):
                raise
            raise LookupError(f"there is no module {name}") from None
        # A package may enter another module under a name of its own.
        if owner.__name__ != name or owner is not sys.modules.get(name):
            raise LookupError(f"{name} is not a module of {root.__name__}")
    function = vars(owner).get(parts[-1])
    exported = vars(owner).get("__all__")
    if exported is not None:
        is_own = parts[-1] in exported
    else:
        home = getattr(function, "__module__", None)
        is_own = isinstance(home, str) and (home + ".").startswith(root.__name__ + ".")
    if function is None or isinstance(function, type) or not callable(function) or not is_own:
        raise LookupError(f"the module {owner.__name__} has no function {parts[-1]} of its own")
    return function


def _stamp(path):
    """The time of change and the size of a source, and which file it is; None if there is none."""
    try:
        status = os.stat(path)
        return (status.st_mtime_ns, status.st_ctime_ns, status.st_size, status.st_dev, status.st_ino)
    except OSError:
        return None


class _Finder(importlib.machinery.PathFinder):
    """Finds modules as usual, and notes the stamp of each source before it is read: later ones may be of newer text."""

    stamps = {}

    @classmethod
    def find_spec(cls, name, path=None, target=None):
        spec = super().find_spec(name, path, target)
        if spec is not None and spec.has_location:
            cls.stamps.setdefault(spec.origin, _stamp(spec.origin))
        return spec


def _has_changed(root):
    """Whether a source of the module has changed since it was imported."""
    folder = os.path.dirname(getattr(root, "__file__", None) or "")
    for name, module in list(sys.modules.items()):
        path = getattr(module, "__file__", None)
        if path and (name == root.__name__ or name.startswith(root.__name__ + ".") or path.startswith(folder + "/")):
            present = _stamp(path)
            if _Finder.stamps.setdefault(path, present) != present:
                return True
    return False


def _version(root):
    """A checksum of the module's source, by which versions of it on different nodes are told apart."""
    digest = hashlib.sha256()
    path = root.__file__ or ""
    names = [path]
    if hasattr(root, "__path__"):
        top = os.path.dirname(path)
        names = sorted(
            os.path.join(folder, name)
            for folder, _, files in os.walk(top)
            for name in files
            if name.endswith((".py", ".so"))
        )
    for name in names:
        digest.update(os.path.relpath(name, os.path.dirname(path)).encode() + b"\0")
        with open(name, "rb") as file:
            digest.update(hashlib.sha256(file.read()).digest())
    return digest.hexdigest()[:16]


def _lines(problem):
    """The last lines of the traceback, without the frames of this program."""
    trace = problem.__traceback__
    while trace is not None and trace.tb_frame.f_code.co_filename == "<string>":
        trace = trace.tb_next
    if trace is None:
        return []
    text = "".join(traceback.format_exception(type(problem), problem, trace))
    return [_shortened(line) for line in text.splitlines()][-_LINES:]


def _shortened(text):
    """The text with at most so many bytes that a message has room for all lines, whatever they are."""
    return text.encode(errors="replace")[:_LINE].decode(errors="ignore")


def _failure(problem):
    try:
        words = str(problem).strip().splitlines()
    except Exception:
        words = []
    reason = type(problem).__name__ + (f": {words[0]}" if words else "")
    return {"error": _shortened(reason), "lines": _lines(problem)}


def _flush():
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError, AttributeError):
            pass


def _send(channel, head, parts=()):
    size = sum(len(part) for part in parts)
    head = json.dumps({**head, "size": size}).encode() + b"\0"
    if size <= _INLINE:
        channel.sendmsg([head, *parts])
        return
    file = os.memfd_create("skyfarm-value")
    try:
        for part in parts:
            view = memoryview(part)
            while view:
                view = view[os.write(file, view) :]
        socket.send_fds(channel, [head], [file])
    finally:
        os.close(file)


def _receive(channel):
    message, files, flags, _ = socket.recv_fds(channel, _INLINE + 65536, 1)
    if not message:
        sys.exit(0)
    head, _, rest = message.partition(b"\0")
    head = json.loads(head)
    if not files:
        return head, bytearray(rest)
    # A mapping of the file itself: an array of the value is memory that the node has written.
    value = mmap.mmap(files[0], head["size"])
    os.close(files[0])
    return head, value


def _call(root, head, buffer):
    """Calls the function. Returns its result as parts of a value."""
    value = decode(buffer)
    function = _function(root, head["function"])
    try:
        result = function(value)
        return encode(result)
    finally:
        _flush()


def _main():
    folder, name = sys.argv[1:3]
    process = os.getpid()
    sys.meta_path[:] = [_Finder if finder is importlib.machinery.PathFinder else finder for finder in sys.meta_path]
    # Without the current folder, in which this began.
    sys.path[0] = folder
    sys.argv = [name]
    channel = socket.socket(fileno=3)
    os.set_inheritable(3, False)
    try:
        root = importlib.import_module(name)
        if os.getpid() != process:
            os._exit(1)
        place = os.path.realpath(getattr(root, "__file__", None) or "")
        if not place.startswith(os.path.join(os.path.realpath(folder), name)):
            raise ImportError(f"{name} is another module of this interpreter: {place or 'built in'}")
        version = _version(root)
    except BaseException as problem:
        _flush()
        _send(channel, _failure(problem))
        return
    _send(channel, {"version": version})
    os.makedirs("item", exist_ok=True)
    os.chdir("item")
    top = os.getcwd()
    while True:
        head, buffer = _receive(channel)
        number = {"call": head["call"]}
        if _has_changed(root):
            # The node starts another worker, which has the new source.
            _send(channel, {"stale": True, **number})
            return
        # A worker that ends before this has called nothing, so that the node has another one make the call.
        channel.send(_BEGINS)
        try:
            parts = _call(root, head, buffer)
            answer = {"ok": True}
        except BaseException as problem:
            answer, parts = _failure(problem), ()
        if os.getpid() != process:
            # The function has forked, and has returned in the child as well: only the worker answers.
            os._exit(1)
        os.chdir(top)
        try:
            _send(channel, {**answer, **number}, parts)
        except OSError as problem:
            _send(channel, {**_failure(problem), **number})
        del head, buffer, parts, answer


_main()
