import CommandLineKit

extension NodeService {
    /// The unit for systemd; see systemd.exec(5) for what each line shuts.
    ///
    /// The machine's service has a user of its own, and keeps its key in its state folder, which systemd gives to that
    /// user. `DynamicUser=` would need no user to be made, but D-Bus, and so Avahi, turns away a user that is in no
    /// list. A user's own service is shut in only as far as needs no privilege.
    var systemdUnit: String {
        """
        # Written by `skyfarm node --install-service`. For settings of your own: systemctl\(owner.flag) edit \(Self.name)
        [Unit]
        Description=Skyfarm node, which scans sky images for coordinators on the network
        Documentation=man:skyfarm-node(1)
        \(owner == .system ? Self.order : "")
        [Service]
        Type=exec
        ExecStart=\(command.map(quotedForSystemd).joined(separator: " "))
        Restart=on-failure
        RestartSec=5
        # Wrong options and a key that cannot be used do not get better by themselves.
        RestartPreventExitStatus=2 4
        MemoryMax=80%
        UMask=0077
        \(owner == .system ? Self.ownUser + Self.privileged + visibleData : "")\(Self.unprivileged)
        [Install]
        WantedBy=\(owner == .system ? "multi-user.target" : "default.target")

        """
    }

    /// Where the machine's service keeps its key and settings: `skyfarm` in this folder.
    static let systemFolder = "/var/lib"

    /// Who the machine's service runs as.
    static let systemUser = "skyfarm"

    private static let order = """
        Wants=avahi-daemon.service network-online.target
        After=avahi-daemon.service network-online.target

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
        PrivateDevices=yes
        PrivateTmp=yes
        PrivateUsers=yes
        ProcSubset=pid
        ProtectClock=yes
        ProtectControlGroups=yes
        ProtectHome=tmpfs
        ProtectHostname=yes
        ProtectKernelLogs=yes
        ProtectKernelModules=yes
        ProtectKernelTunables=yes
        ProtectProc=invisible
        ProtectSystem=strict
        RemoveIPC=yes

        """

    /// Folders that may lie where the service sees nothing else: below /home or /tmp.
    private var visibleData: String {
        data.map { "BindReadOnlyPaths=-\(quotedForSystemd($0).replacing("$$", with: "$"))\n" }.joined()
    }

    /// AF_UNIX is for D-Bus and so for Avahi, AF_NETLINK for the list of this machine's addresses. Scanning threads
    /// lower their own priority, so @resources stays open.
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
    /// What tells `systemctl` whose services are meant, after a space.
    fileprivate var flag: String { self == .system ? "" : " --user" }
}

/// A word of a command line in a unit, as systemd.service(5) and systemd.syntax(7) read it.
func quotedForSystemd(_ word: String) -> String {
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
