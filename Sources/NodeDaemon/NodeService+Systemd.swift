import CommandLineKit

extension NodeService {
    /// The systemd unit; systemd.exec(5) describes each restriction.
    ///
    /// The system service runs as its own user, with the key in its state folder. It does not use `DynamicUser=`, since
    /// D-Bus, and therefore Avahi, rejects users that are not in the user database. A user's service has only the
    /// restrictions that need no privilege.
    package var systemdUnit: String {
        """
        # Written by `skyfarm node --install-service`. To change settings: systemctl\(owner.flag) edit \(Self.name)
        [Unit]
        Description=Skyfarm node, which scans sky images for coordinators on the network
        Documentation=man:skyfarm-node(1)
        \(owner == .system ? Self.order : "")
        [Service]
        Type=exec
        ExecStart=\(command.map(quotedForSystemd).joined(separator: " "))
        Restart=on-failure
        RestartSec=5
        # Restarting does not fix wrong options or an unusable key.
        RestartPreventExitStatus=2 4
        MemoryMax=80%
        # Beside user.slice and system.slice, so that the weights, of 100, count against all other programs.
        Slice=-.slice
        CPUWeight=5
        IOWeight=5
        IOSchedulingClass=idle
        UMask=0077
        \(runsPrograms ? Self.drainsPrograms : "")\(owner == .system ? Self.ownUser + Self.privileged + controlGroups + unobserved + visibleData : "")\(Self.unprivileged)
        [Install]
        WantedBy=\(owner == .system ? "multi-user.target" : "default.target")

        """
    }

    /// Parent of `skyfarm`, the home folder of the system service.
    static let systemFolder = "/var/lib"

    /// The user that the system service runs as.
    static let systemUser = "skyfarm"

    private static let order = """
        Wants=avahi-daemon.service network-online.target
        After=avahi-daemon.service network-online.target

        """

    /// The node lets running programs finish when it is stopped.
    private static let drainsPrograms = """
        KillMode=mixed
        # Each program has a control group of its own, which limits its memory and finds all its processes.
        Delegate=yes

        """

    private static let ownUser = """

        User=\(systemUser)
        StateDirectory=skyfarm
        StateDirectoryMode=0700
        Environment=XDG_CONFIG_HOME=\(systemFolder)

        """

    private static let privileged = """

        CapabilityBoundingSet=
        KeyringMode=private
        PrivateTmp=yes
        PrivateUsers=yes
        ProtectClock=yes
        ProtectHome=tmpfs
        ProtectHostname=yes
        ProtectKernelLogs=yes
        ProtectKernelModules=yes
        ProtectKernelTunables=yes
        ProtectProc=invisible
        ProtectSystem=strict
        RemoveIPC=yes

        """

    /// The groups of programs are made in that of the service.
    private var controlGroups: String { runsPrograms ? "" : "ProtectControlGroups=yes\n" }

    /// Restrictions for a node that does not observe its machine; otherwise it needs /proc/stat, /proc/interrupts and
    /// terminals.
    private var unobserved: String { observesMachine ? "" : "PrivateDevices=yes\nProcSubset=pid\n" }

    /// Makes the folders visible, since they may be below /home or /tmp.
    private var visibleData: String {
        data.map { "BindReadOnlyPaths=-\(Self.path($0))\n" }.joined()
            // These folders are visible and, where the rest of the file system is read-only, writable.
            + written.map { "BindPaths=-\(Self.path($0))\nReadWritePaths=-\(Self.path($0))\n" }.joined()
    }

    /// Quotes a path. Variables are not expanded in paths, so `$` is not doubled.
    private static func path(_ folder: String) -> String { quotedForSystemd(folder).replacing("$$", with: "$") }

    /// Restrictions that need no privilege. AF_UNIX is needed for D-Bus and therefore Avahi, AF_NETLINK for the list of
    /// this machine's addresses. Scanning threads lower their own priority, so @resources stays permitted.
    private static let unprivileged = """

        LockPersonality=yes
        MemoryDenyWriteExecute=yes
        NoNewPrivileges=yes
        RestrictAddressFamilies=AF_INET AF_INET6 AF_NETLINK AF_UNIX
        RestrictNamespaces=yes
        RestrictRealtime=yes
        RestrictSUIDSGID=yes
        SystemCallArchitectures=native
        SystemCallErrorNumber=EPERM
        SystemCallFilter=@system-service
        SystemCallFilter=~@privileged

        """
}

extension NodeService.Owner {
    /// The option of `systemctl` that selects the service manager, after a space.
    fileprivate var flag: String { self == .system ? "" : " --user" }
}

/// Returns a word of a command line, quoted as described in systemd.service(5) and systemd.syntax(7).
package func quotedForSystemd(_ word: String) -> String {
    let escaped = word.map { character in
        switch character {
        case "%": "%%"
        case "$": "$$"
        case "\"", "\\": "\\\(character)"
        case "\n": "\\n"
        default: String(character)
        }
    }.joined()
    return escaped == quotedForShell(word) ? word : "\"\(escaped)\""
}
