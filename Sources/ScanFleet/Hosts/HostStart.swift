import CommandLineKit
import Foundation
package import ScanCluster

/// Decides the steps of starting a node on one host. Events are the replies of ``HostScript``, the exit of ssh and the
/// outcome of the connection; actions are the next steps. Pure.
package struct HostStart: Sendable {
    package enum Event: Sendable {
        /// The host's shell wrote a line.
        case line(String)
        /// ssh exited after writing these lines to standard error.
        case ended(code: Int32, errors: String)
        /// The time limit of the host has passed.
        case late(Duration)
        /// The node at the address accepts this process, or would do so were it not for `note`.
        case joined(at: SocketAddress, note: String?)
        /// The node runs but cannot be used, for this reason.
        case unusable(String)
    }

    package enum Action: Equatable, Sendable {
        /// Send the archive.
        case copy
        /// End ssh; no files were placed on the host.
        case leave
        /// Connect to the node at one of these addresses.
        case connect([SocketAddress])
        /// Stop the node and remove its files.
        case remove
    }

    /// A node that takes tasks.
    package struct JoinedNode: Equatable, Sendable {
        package var name: String
        package var address: SocketAddress
        package var slots: Int
        /// A remark for the user, such as the reason why the node is paused.
        package var note: String?

        package init(name: String, address: SocketAddress, slots: Int, note: String? = nil) {
            self.name = name
            self.address = address
            self.slots = slots
            self.note = note
        }
    }

    package enum Outcome: Equatable, Sendable {
        /// `isNew` is false if the node was running before.
        case joined(JoinedNode, isNew: Bool)
        case failed(HostFailure)
    }

    /// System and processor as reported by `uname`.
    package struct Machine: Equatable, Sendable, CustomStringConvertible {
        package var system: String
        package var processor: String

        package init(system: String, processor: String) {
            self.system = system
            self.processor = processor
        }

        package var description: String { "\(system) on \(processor)" }

        /// The system and processor of this machine.
        package static var own: Machine {
            var names = utsname()
            uname(&names)
            return Machine(system: text(of: names.sysname), processor: text(of: names.machine))
        }

        private static func text<Characters>(of characters: Characters) -> String {
            withUnsafeBytes(of: characters) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        }
    }

    /// The line that the node writes when it is ready.
    private struct Ready: Decodable {
        var name: String
        var address: String
        var slots: Int
    }

    private let own: Machine
    /// Options of the node in one line, as given to this command.
    private let options: String
    /// Options with which a node runs on the host already, or nil if that is not known.
    private var oldOptions: String?
    /// Address at which ssh reached the host.
    private var reached: String?
    private var ready: Ready?
    private var isNew = false
    /// Whether the archive was sent.
    private var isCopied = false
    private var failure: HostFailure?
    package private(set) var outcome: Outcome?

    package init(own: Machine, options: String = "") { (self.own, self.options) = (own, options) }

    package mutating func handle(_ event: Event) -> [Action] {
        if outcome != nil { return [] }
        switch event {
        case .line(let line): return handle(line)
        case .ended(let code, let errors):
            outcome = .failed(failure?.adding(errors) ?? HostFailure(ssh: code, errors))
            return []
        case .late(let limit):
            outcome = .failed(HostFailure(isCopied ? .start : .ssh, late: limit))
            return isCopied ? [.leave, .remove] : [.leave]
        case .joined(let address, let note):
            guard let ready else { return [] }
            let name = String(ready.name.printable.map { $0.isWhitespace ? "-" : $0 })
            let notes = [note, optionsNote].compactMap(\.self)
            outcome = .joined(
                JoinedNode(
                    name: name, address: address, slots: ready.slots,
                    note: notes.isEmpty ? nil : notes.joined(separator: "; ")), isNew: isNew)
            return []
        case .unusable(let reason):
            outcome = .failed(HostFailure(.join, isNew ? reason : "its node runs, but \(reason)"))
            return isNew ? [.remove] : []
        }
    }

    /// Handles a line of output. Lines that are not replies come from the start-up files of the user's shell.
    private mutating func handle(_ line: String) -> [Action] {
        let words = line.split(separator: " ", maxSplits: 2).map(String.init)
        guard words.count >= 2, words[0] == "skyfarm" else { return [] }
        let rest = words.count > 2 ? words[2] : ""
        switch words[1] {
        case "address": reached = rest
        case "options": oldOptions = rest.printable
        case "system":
            let parts = rest.split(separator: " ").map(String.init)
            let machine = Machine(system: parts.first ?? "unknown", processor: parts.last ?? "unknown")
            guard machine == own else {
                outcome = .failed(
                    HostFailure(.system, "runs \(machine.description.printable), and this program is for \(own)"))
                return [.leave]
            }
            isCopied = true
            return [.copy]
        case "running", "ready":
            isNew = words[1] == "ready"
            guard let ready = try? JSONDecoder().decode(Ready.self, from: Data(rest.utf8)),
                let address = try? SocketAddress(parsing: ready.address)
            else {
                outcome = .failed(HostFailure(.start, "the node's answer cannot be read"))
                return isNew ? [.remove] : []
            }
            self.ready = ready
            return [.connect(addresses(address))]
        case "failed":
            let parts = rest.split(separator: " ", maxSplits: 1).map(String.init)
            failure = HostFailure(
                HostFailure.Step(rawValue: parts.first ?? "") ?? .start, parts.count > 1 ? parts[1].printable : "")
        default: break
        }
        return []
    }

    /// The difference between the options of a node that runs already and those that were given.
    private var optionsNote: String? {
        guard !isNew, let oldOptions, oldOptions != options else { return nil }
        func words(_ options: String) -> String { options.isEmpty ? "no options" : options }
        return "runs with \(words(oldOptions)), not with \(words(options)): to change that, `skyfarm down` it first"
    }

    /// Returns the address at which ssh reached the host, then the address that the node reported. Addresses with a
    /// zone are left out, since they are valid only on the host.
    private func addresses(_ own: SocketAddress) -> [SocketAddress] {
        let hosts = [reached, own.host].compactMap { $0 }.filter { !$0.isEmpty && !$0.contains("%") }
        var result: [SocketAddress] = []
        for host in hosts {
            let address = SocketAddress(host: host, port: own.port)
            if !result.contains(address) { result.append(address) }
        }
        return result.isEmpty ? [own] : result
    }
}
