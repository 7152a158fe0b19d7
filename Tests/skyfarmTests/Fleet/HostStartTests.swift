import ScanCluster
import Testing

import ScanFleet

/// The course of a start, without ssh.
@Suite struct HostStartTests {
    private var state = HostStart(own: .init(system: "Linux", processor: "x86_64"))
    private let ready = #"{"address":"10.0.0.9:4871","event":"ready","name":"a b","slots":2,"v":1}"#

    @Test("a host is sent the program, its node is connected where ssh has reached the host, and joins")
    mutating func joins() throws {
        #expect(state.handle(.line("Welcome to alpha")).isEmpty)
        #expect(state.handle(.line("skyfarm address 192.168.1.7")).isEmpty)
        #expect(state.handle(.line("skyfarm system Linux x86_64")) == [.copy])
        let found = SocketAddress(host: "192.168.1.7", port: 4871)
        let own = SocketAddress(host: "10.0.0.9", port: 4871)
        #expect(state.handle(.line("skyfarm ready " + ready)) == [.connect([found, own])])
        #expect(state.handle(.ended(code: 0, errors: "")).isEmpty == true || state.outcome != nil)
    }

    @Test("its name has no spaces, and what ssh does afterwards changes nothing")
    mutating func ends() {
        _ = state.handle(.line("skyfarm system Linux x86_64"))
        _ = state.handle(.line("skyfarm ready " + ready))
        let own = SocketAddress(host: "10.0.0.9", port: 4871)
        #expect(state.handle(.joined(at: own, note: nil)).isEmpty)
        let node = HostStart.JoinedNode(name: "a-b", address: own, slots: 2)
        #expect(state.outcome == .joined(node, isNew: true))
        #expect(state.handle(.ended(code: 255, errors: "late")).isEmpty)
        #expect(state.outcome == .joined(node, isNew: true))
    }

    @Test("a node that runs is not copied, and not removed if it cannot be used")
    mutating func running() {
        #expect(state.handle(.line("skyfarm running " + ready)).count == 1)
        #expect(state.handle(.unusable("holds another key")).isEmpty)
        #expect(state.outcome == .failed(HostFailure(.join, "its node runs, but holds another key")))
    }

    @Test(
        "a node that runs with other options says so",
        arguments: [
            ("--slots 2", nil), (nil, nil), ("", "runs with no options, not with --slots 2"),
            ("--slots 1", "runs with --slots 1, not with --slots 2"),
        ])
    func options(old: String?, note: String?) throws {
        var state = HostStart(own: .init(system: "Linux", processor: "x86_64"), options: "--slots 2")
        if let old { #expect(state.handle(.line("skyfarm options " + old)).isEmpty) }
        #expect(state.handle(.line("skyfarm running " + ready)).count == 1)
        #expect(state.handle(.joined(at: SocketAddress(host: "10.0.0.9", port: 4871), note: nil)).isEmpty)
        guard case .joined(let node, isNew: false) = try #require(state.outcome) else {
            Issue.record("\(String(describing: state.outcome))")
            return
        }
        #expect(node.note == note.map { $0 + ": to change that, `skyfarm down` it first" })
    }

    @Test("a new node that cannot be used is removed")
    mutating func unusable() {
        _ = state.handle(.line("skyfarm ready " + ready))
        #expect(state.handle(.unusable("no answer")) == [.remove])
        #expect(state.outcome == .failed(HostFailure(.join, "no answer")))
    }

    @Test(
        "a host with another system or processor gets nothing, and the user is told what to install there",
        arguments: [("Linux", "aarch64"), ("Linux", "i686"), ("Darwin", "arm64"), ("Darwin", "x86_64")])
    mutating func otherSystem(system: String, processor: String) throws {
        #expect(state.handle(.line("skyfarm system \(system) \(processor)")) == [.leave])
        let reason = "runs \(system) on \(processor), and this program is for Linux on x86_64"
        let failure = HostFailure(.system, reason)
        #expect(state.outcome == .failed(failure))
        #expect(
            failure.text(of: "h")
                == reason + "; install Skyfarm there from its package or wheel for that system, and run `skyfarm node`")
    }

    @Test("a program for ARM is copied to ARM alone", arguments: ["aarch64", "x86_64"])
    func programForARM(processor: String) {
        var state = HostStart(own: .init(system: "Linux", processor: "aarch64"))
        let actions = state.handle(.line("skyfarm system Linux \(processor)"))
        #expect(actions == (processor == "aarch64" ? [.copy] : [.leave]))
    }

    @Test("the reason of a failure is the script's, or the line of standard error that has the cause")
    func reasons() {
        let cases: [(String?, String, HostFailure)] = [
            ("skyfarm failed copy no room", "tar: x", HostFailure(.copy, "no room")),
            (
                "skyfarm failed copy", "tar: skyfarm: Cannot write: No space left on device\ntar: Exiting\n",
                HostFailure(.copy, "tar: skyfarm: Cannot write: No space left on device")
            ),
            ("skyfarm failed run", "libc.so.6: not found\n", HostFailure(.run, "libc.so.6: not found")),
            (
                nil, "Warning: added\nPermission denied (publickey).\r\n",
                HostFailure(.ssh, "Permission denied (publickey).")
            ),
            (nil, "", HostFailure(.ssh, "ssh ended with code 255")),
        ]
        for (line, errors, failure) in cases {
            var state = HostStart(own: .init(system: "Linux", processor: "x86_64"))
            if let line { #expect(state.handle(.line(line)).isEmpty) }
            #expect(state.handle(.ended(code: 255, errors: errors)).isEmpty)
            #expect(state.outcome == .failed(failure))
        }
    }

    @Test("a host that takes too long is left, and cleaned if it was sent anything")
    mutating func late() {
        var other = state
        #expect(other.handle(.late(.seconds(60))) == [.leave])
        _ = state.handle(.line("skyfarm system Linux x86_64"))
        #expect(state.handle(.late(.seconds(60))) == [.leave, .remove])
    }
}
