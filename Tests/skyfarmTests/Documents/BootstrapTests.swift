import Foundation
import Testing

/// `scripts/bootstrap` on a machine whose programs are replaced by scripts that record their calls.
@Suite("scripts/bootstrap", .enabled(if: access("/usr/bin/apt-get", X_OK) == 0, "needs Debian or Ubuntu"))
struct BootstrapTests {
    let scene: Scene

    init() throws {
        scene = try Scene()
        try program("apt-get", "true")
        try program("apt-cache", "false")
        try program("pkg-config", "true")
        try program("swift", "echo Swift version 6.3")
        try program("id", "echo 0")
        try program("service", "true")
        try program("systemctl", "touch '\(scene.path("runs"))'")
        // Without systemd the daemon starts itself; --check asks whether it runs.
        try program("avahi-daemon", "[ \"$1\" = -D ] && touch '\(scene.path("runs"))'; [ -e '\(scene.path("runs"))' ]")
        try program("dpkg-query", "echo 'install ok installed'")
    }

    private func program(_ name: String, _ body: String) throws {
        _ = try scene.script("echo \(name) $* >>'\(scene.path("calls"))'\n\(body)", name)
    }

    private func run() throws -> (Program.Result, calls: [String]) {
        let script = DocumentTests.root.appendingPathComponent("scripts/bootstrap").path
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        let result = try Program.run(path: script, [], environment: ["PATH": "\(scene.folder):\(path)"])
        let calls = String(decoding: try scene.bytes("calls"), as: UTF8.self)
        return (result, calls.split(separator: "\n").map(String.init))
    }

    private static let start =
        access("/run/systemd/system", F_OK) == 0
        ? ["systemctl enable --now avahi-daemon"] : ["service dbus start", "avahi-daemon -D"]

    @Test("installs the daemon that discovers nodes, with its bus, and starts it")
    func installs() throws {
        try program(
            "dpkg-query", "case $4 in avahi-daemon | dbus) exit 1 ;; *) echo 'install ok installed' ;; esac")
        let (result, calls) = try run()
        #expect(result.code == 0, "\(result.errors)")
        #expect(calls.contains { $0.hasPrefix("apt-get install ") && $0.hasSuffix(" avahi-daemon dbus") }, "\(calls)")
        #expect(Self.start.allSatisfy(calls.contains), "\(calls)")
        #expect(!result.errors.contains("does not run"), "\(result.errors)")
    }

    @Test("leaves a daemon that runs alone")
    func running() throws {
        _ = try scene.write([], "runs")
        let (result, calls) = try run()
        #expect(result.code == 0 && result.errors.isEmpty, "\(result.errors)")
        #expect(!calls.contains { $0.hasPrefix("apt-get") || Self.start.contains($0) }, "\(calls)")
    }

    @Test("names the command if the daemon cannot be started, and is no failure")
    func cannotStart() throws {
        try program("systemctl", "false")
        try program("avahi-daemon", "false")
        let (result, _) = try run()
        #expect(result.code == 0)
        let command = Self.start.joined(separator: "; ")
        #expect(
            result.errors.contains("the Avahi daemon does not run, so that nodes are not discovered; as root, run: ")
                && result.errors.contains(command), "\(result.errors)")
    }
}
