import CommandLineKit
import Dispatch
import Foundation
import ScanBasics

/// A file of this machine that is copied to nodes.
package struct SpreadSource: Equatable, Sendable {
    /// Name as given by the user, or as found.
    package var name: String
    /// Absolute path without symbolic links.
    package var path: String
    /// The file as nodes keep it. Its path is the absolute path, so that files of a machine have distinct names and
    /// nodes find a file by the path given to a scan. Hidden folders and their parents are left out.
    package var file: StoredFile

    /// Examines the file at `name`.
    /// - Throws: `CommandError` if it is not a file that nodes can read.
    init(_ name: String) throws(CommandError) {
        guard let path = realPath(name), let stamp = InputStamp(path) else {
            throw CommandError(.input, "\(name): no such file")
        }
        guard !path.lowercased().hasSuffix(".gz") else {
            throw CommandError(
                .input,
                "\(name): is compressed as a whole, and nodes cannot read parts of it; use fpack instead of gzip")
        }
        (self.name, self.path) = (name, path)
        file = StoredFile(path: Self.kept(path), byteCount: stamp.byteCount, modified: stamp.modified)
        try StoreLedger.check(file)
    }

    /// Returns the end of an absolute path under which a store keeps the file.
    package static func kept(_ path: String) -> String {
        let parts = path.split(separator: "/")
        let shown = parts.dropLast().lastIndex { $0.hasPrefix(".") }.map { parts[($0 + 1)...] } ?? parts[...]
        return shown.suffix(StoreLedger.depthLimit).joined(separator: "/")
    }
}

/// A file as named by the user.
struct SpreadInput: Sendable {
    var name: String
    /// The file, or the reason why it cannot be copied.
    var source: Result<SpreadSource, CommandError>

    init(_ name: String) {
        self.name = name
        source = Result { () throws(CommandError) in try SpreadSource(name) }
    }
}

/// Reads a file in pieces, on a queue that may block on disk operations.
final class SpreadReader: Sendable {
    private let file: OpenDescriptor
    private let byteCount: Int
    private let queue = DispatchQueue(label: "skyfarm.spread")

    /// - Throws: `CommandError` if the file cannot be opened, or was changed since `source` was created.
    init(_ source: SpreadSource) throws(CommandError) {
        let file = OpenDescriptor(open(source.path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC))
        guard file.number >= 0 else { throw CommandError(.input, source.name, errno: errno) }
        guard file.resembles(source.file) else { throw CommandError(.input, "\(source.name): was changed meanwhile") }
        (self.file, byteCount) = (file, source.file.byteCount)
    }

    /// Returns a piece with its digest.
    func piece(at offset: Int) async throws -> (bytes: [UInt8], digest: [UInt8]) {
        try await run { file throws(CommandError) in
            let bytes = try file.piece(at: offset)
            return (bytes, try ContentDigest.piece(bytes))
        }
    }

    /// Returns the ``ContentDigest`` of the whole file.
    func digest() async throws -> [UInt8] {
        try await run { [byteCount] file throws(CommandError) in try file.digest(of: byteCount) }
    }

    private func run<Value: Sendable>(
        _ body: @escaping @Sendable (OpenDescriptor) throws(CommandError) -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { [file] in continuation.resume(with: Result { try body(file) }) }
        }
    }
}
