import CommandLineKit
import Console
import Foundation
import ScanSecurity

/// `skyfarm key` shows, copies and changes the cluster key.
package struct KeyCommand: Command {
    let options: Options

    init(_ arguments: Arguments) throws(UsageError) { options = try Options(arguments) }

    func run() async throws -> ExitCode {
        let store = try KeyStore.user()
        switch options.action {
        case .path:
            try StandardOutput.write(
                options.common.json ? JSONOutput.document(Report(path: store.path)) : store.path + "\n")
        case .fingerprint:
            try show(try store.existingRing(), of: store)
        case .export(let file):
            try export(try store.ring().current, to: file)
        case .import(let file):
            let key = try Self.read(file)
            try change(store, to: key, keepingOldFor: options.keepHours ?? 0)
        case .new:
            try change(store, to: try .random(), keepingOldFor: 0)
            say("on every other machine: skyfarm key export | ssh OTHER skyfarm key import, and restart its nodes")
        case .rotate:
            let hours = options.keepHours ?? Self.rotationHours
            try change(store, to: try .random(), keepingOldFor: hours)
            say(
                "within that time, for every other machine: skyfarm key export | ssh OTHER skyfarm key import --keep"
                    + " \(plainText(hours))")
        }
        return .complete
    }

    private func export(_ key: ClusterKey, to file: String?) throws {
        if let file { try failing(.output, about: "key export") { try key.export(to: file) } }
        if options.common.json {
            let export = Export(
                key: file == nil ? key.exportText() : nil, file: file, fingerprint: key.fingerprint.description)
            try StandardOutput.write(JSONOutput.document(export))
        } else if file == nil {
            try StandardOutput.write(key.exportText() + "\n")
        }
    }

    private static func read(_ file: String?) throws -> ClusterKey {
        let descriptor = file.map { open($0, O_RDONLY | O_CLOEXEC) } ?? STDIN_FILENO
        guard descriptor >= 0 else {
            throw CommandError(.input, "key import: \(file ?? "")", errno: errno)
        }
        defer { if file != nil { close(descriptor) } }
        return try failing(.input, about: "key import") {
            try ClusterKey.read(from: descriptor, name: file ?? "standard input")
        }
    }

    /// Replaces the current key, if there is one, and reports the outcome.
    private func change(_ store: KeyStore, to key: ClusterKey, keepingOldFor hours: Double) throws {
        let now = Date.now
        let expiry = hours > 0 ? now.addingTimeInterval(hours * 3600) : nil
        let ring = try store.replace(with: key, keepingOldUntil: expiry, at: now)
        if options.common.json { return try show(ring, of: store) }
        let kept = ring.retired.map { "; \($0.key.fingerprint) is accepted until \($0.expiry.formatted(.iso8601))" }
        say("the cluster key is now \(key.fingerprint)\(kept.joined())")
    }

    private func show(_ ring: KeyRing, of store: KeyStore) throws {
        if options.common.json { return try StandardOutput.write(JSONOutput.document(Report(ring, path: store.path))) }
        let retired = ring.retired.map { "\($0.key.fingerprint) accepted until \($0.expiry.formatted(.iso8601))\n" }
        try StandardOutput.write("\(ring.current.fingerprint)\n\(retired.joined())")
    }

    private func say(_ line: String) {
        if !options.common.quiet { StandardError.write("skyfarm key: \(line)\n") }
    }

    /// An exported key as JSON, which contains the secret unless that is in a file.
    private struct Export: Encodable {
        var v = 1
        var key: String?
        var file: String?
        var fingerprint: String
    }

    /// Public information about the keys as JSON.
    private struct Report: Encodable {
        var v = 1
        var path: String
        var fingerprint: String?
        var retired: [Retired]?

        struct Retired: Encodable {
            var fingerprint: String
            var expires: String
        }

        init(path: String) { self.path = path }

        init(_ ring: KeyRing, path: String) {
            self.path = path
            fingerprint = ring.current.fingerprint.description
            retired = ring.retired.map {
                Retired(fingerprint: $0.key.fingerprint.description, expires: $0.expiry.formatted(.iso8601))
            }
        }
    }
}
