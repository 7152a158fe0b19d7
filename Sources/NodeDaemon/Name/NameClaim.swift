package import CommandLineKit
import Console
import Foundation
import ScanBasics

/// A file that keeps the name of a node, locked by the process of that node until the claim is released.
///
/// The files of a host are `HOST.1`, `HOST.2` and so on. The first line is the name, the second one the address of
/// `--listen`, if the node was started with it. A node claims the first file with its address, or else the first one
/// without a name, that no other process has locked: nodes that run at the same time have different files, and a node
/// that is started again has the file that it had before. A file of another address is claimed only if all numbers are
/// used, since its node may be started again. The files are never removed: a lock on a removed file excludes nobody.
package final class NameClaim: Sendable {
    /// Number of the file, from 1.
    package let number: Int
    private let folder: String
    private let host: String
    private let address: String?
    private let file: OpenDescriptor

    /// Maximum number of nodes of a host whose names are kept.
    private static let limit = 256

    /// The owner of the name in a file, for a node that claims a file.
    private enum Use {
        /// It has the name of the node's address.
        case own
        /// There is no file, or it has no name.
        case unused
        /// It has the name of another address.
        case other
    }

    /// Claims a file of `host` in `folder`, which is created if necessary, for a node that listens on `address`, or on the
    /// default one.
    /// - Throws: `CommandError` if no file can be created or locked, or if other users can write to the folder.
    package init(of host: String, in folder: String, address: String? = nil) throws(CommandError) {
        // If this fails, opening a file in the folder gives the cause.
        try? FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        if let distrust = UserFolder.distrust(folder) { throw CommandError(.failure, distrust) }
        let numbers = Dictionary(grouping: 1...Self.limit) { number -> Use in
            let lines = Self.existing(Self.path(folder, host, number)).map(Self.lines) ?? []
            if lines.isEmpty { return .unused }
            return (lines.count > 1 ? lines[1] : nil) == address ? .own : .other
        }
        for number in [Use.own, .unused, .other].flatMap({ numbers[$0] ?? [] }) {
            let path = Self.path(folder, host, number)
            let file = try Self.open(path)
            switch Self.lock(file) {
            case 0:
                (self.number, self.folder, self.host, self.file) = (number, folder, host, file)
                self.address = address
                return
            case EWOULDBLOCK: continue
            case let error: throw CommandError(.failure, "\(path): cannot be locked", errno: error)
            }
        }
        throw CommandError(.failure, "\(folder): keeps no names of more than \(Self.limit) nodes")
    }

    /// The name in the file, or nil if it has none. It is not checked.
    package var name: String? { Self.lines(of: file).first }

    /// The names in all files of the host but this one.
    package var otherNames: Set<String> {
        var names: Set<String> = []
        for number in 1...Self.limit where number != self.number {
            guard let file = Self.existing(Self.path(folder, host, number)) else { break }
            if let name = Self.lines(of: file).first { names.insert(name) }
        }
        return names
    }

    /// Whether the file has this name and the address of the node.
    package func keeps(_ name: String) -> Bool { Self.lines(of: file) == [name, address].compactMap(\.self) }

    /// Replaces the name in the file.
    /// - Throws: `CommandError` if the file cannot be written.
    package func keep(_ name: String) throws(CommandError) {
        let bytes = Array([name, address].compactMap(\.self).map { $0 + "\n" }.joined().utf8)
        // Written before the rest is cut off, so that a full disk leaves the name that the file has.
        guard pwrite(file.number, bytes, bytes.count, 0) == bytes.count,
            ftruncate(file.number, off_t(bytes.count)) == 0, fsync(file.number) == 0
        else { throw CommandError(.output, Self.path(folder, host, number), errno: errno) }
    }

    private static func path(_ folder: String, _ host: String, _ number: Int) -> String {
        "\(folder)/\(host).\(number)"
    }

    /// Opens a file, which is created if necessary; one that cannot be written is opened for reading.
    private static func open(_ path: String) throws(CommandError) -> OpenDescriptor {
        let flags = O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC
        var descriptor = Foundation.open(path, O_RDWR | O_CREAT | flags, 0o600)
        if descriptor < 0 {
            let cause = errno
            descriptor = Foundation.open(path, O_RDONLY | flags)
            guard descriptor >= 0 else { throw CommandError(.failure, path, errno: cause) }
        }
        return OpenDescriptor(descriptor)
    }

    /// Locks a file without waiting, and returns 0 or the error's number.
    private static func lock(_ file: OpenDescriptor) -> Int32 {
        while flock(file.number, LOCK_EX | LOCK_NB) != 0 {
            if errno != EINTR { return errno }
        }
        return 0
    }

    /// Opens a file for reading; returns nil if there is none.
    private static func existing(_ path: String) -> OpenDescriptor? {
        let descriptor = Foundation.open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        return descriptor < 0 ? nil : OpenDescriptor(descriptor)
    }

    private static func lines(of file: OpenDescriptor) -> [String] {
        // No name or address is as long as that.
        let bytes = (try? file.bytes(at: 0, count: 512)) ?? []
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
    }
}
