import CommandLineKit
import ScanCluster

/// The shell scripts that `skyfarm up` and `skyfarm down` run on a host. They are passed to the standard input of `sh`,
/// so that no part of them appears on a command line. Lines of output that begin with `skyfarm` are replies, which
/// ``HostStart`` and ``HostReport`` parse.
///
/// All files are in one folder of the user's home that other users cannot enter: the program with its libraries, the
/// key, the node's state and its log. The name of the folder contains the host's name, since hosts may share a home.
enum HostScript {
    /// Returns the script that starts a node with these options. An archive of `size` bytes must follow after the
    /// script has reported the system and has read the line `copy`.
    static func start(_ options: [String], size: Int) -> String {
        """
        {
        \(common)
        set -- $SSH_CONNECTION
        say address "${3:-}"
        say system "$(uname -s)" "$(uname -m)"
        if [ -n "$(processes)" ] && [ -s "$folder/ready" ]; then
            [ ! -f "$folder/options" ] || say options "$(cat "$folder/options")"
            say running "$(cat "$folder/ready")"
            exit 0
        fi
        read -r order && [ "$order" = copy ] || exit 0
        fail() { rm -rf "$folder"; say "$@"; exit 1; }
        rm -rf "$folder"
        set -- $(df -Pk "$HOME" | tail -n 1)
        [ "${4:-0}" -ge \(size / 1024) ] 2>/dev/null ||
            fail failed copy "the file system of $HOME has ${4:-no} kB free, and \(size / 1024) kB are needed"
        mkdir "$folder" && tar -xof - -C "$folder" || fail failed copy
        cd "$folder" || fail failed copy
        LD_LIBRARY_PATH=$folder/lib XDG_CONFIG_HOME=$folder/config XDG_STATE_HOME=$folder/state
        XDG_CACHE_HOME=$folder/cache
        export LD_LIBRARY_PATH XDG_CONFIG_HOME XDG_STATE_HOME XDG_CACHE_HOME
        unset XDG_RUNTIME_DIR
        ./skyfarm --version >version || fail failed run
        printf '%s' \(quotedForShell(line(of: options))) >options
        apart=$(command -v setsid)
        nohup $apart "$(pwd -P)/skyfarm" node --json \(options.map(quotedForShell).joined(separator: " ")) >ready 2>log </dev/null &
        node=$!
        tries=0
        while [ ! -s ready ] && kill -0 $node 2>/dev/null && [ $tries -lt 400 ]; do
            sleep 0.05
            tries=$((tries + 1))
        done
        if [ -s ready ]; then
            say ready "$(cat ready)"
            exit 0
        fi
        tail -n 3 log >&2
        kill $node 2>/dev/null
        fail failed start
        }

        """
    }

    /// Returns the options as one line, by which those of a running node are compared.
    static func line(of options: [String]) -> String { options.map(quotedForShell).joined(separator: " ").printable }

    /// Returns the script that stops the node of ``start(_:size:)`` and removes the folder. Running tasks may take
    /// `seconds` to finish.
    static func stop(within seconds: Int) -> String {
        """
        {
        \(common)
        [ -d "$folder" ] || { say absent; exit 0; }
        for signal in TERM KILL; do
            tries=0
            kill -$signal $(processes) 2>/dev/null
            while [ -n "$(processes)" ] && [ $tries -lt \(seconds * 10) ]; do
                sleep 0.1
                tries=$((tries + 1))
            done
        done
        cd /
        rm -rf "$folder"
        if [ -d "$folder" ] || [ -n "$(processes)" ]; then say failed stop; else say stopped; fi
        exit 0
        }

        """
    }

    /// Common definitions: the folder, and the processes whose program is in it. SIGPIPE is ignored, since a closed
    /// connection must not end the script before it has removed the files. The command line of ssh has only `exec sh`.
    private static let common = """
        umask 077
        trap '' PIPE
        say() { printf 'skyfarm %s\\n' "$*"; }
        folder=$HOME/.skyfarm-node.$(uname -n)
        real=$(cd "$HOME" && pwd -P)/.skyfarm-node.$(uname -n)
        processes() {
            ls -l /proc/[0-9]*/exe 2>/dev/null | grep -F " -> $real/skyfarm" | sed 's,.* /proc/\\([0-9]*\\)/exe -> .*,\\1,'
        }
        """
}
