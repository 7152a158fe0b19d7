import CommandLineKit
import Foundation
import ScanNetwork

/// An output of a job, to be fetched.
struct JobFile: Codable, Equatable, Sendable {
    /// Its absolute name on the node.
    var name: String
    var byteCount: Int
    /// ``JobFileChecksum`` of its bytes.
    var checksum: UInt64

    /// Bytes that are read at a time.
    static let pieceSize = 4 << 20
    /// Most files of a job that are listed.
    static let limit = 100_000

    /// The file as it is now; nil if it is no regular file.
    init?(_ name: String) {
        guard let handle = FileHandle(forReadingAtPath: name) else { return nil }
        defer { try? handle.close() }
        var status = stat()
        guard fstat(handle.fileDescriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        var (sum, total) = (JobFileChecksum(), 0)
        while let piece = try? handle.read(upToCount: Self.pieceSize), !piece.isEmpty {
            sum.add([UInt8](piece))
            total += piece.count
        }
        (self.name, byteCount, checksum) = (name, total, sum.value)
    }

    /// A piece of the file `name`.
    static func piece(of name: String, at offset: Int) throws -> [UInt8] {
        guard let handle = FileHandle(forReadingAtPath: name) else { throw CommandError(.input, name, errno: errno) }
        defer { try? handle.close() }
        try handle.seek(toOffset: UInt64(max(0, offset)))
        return [UInt8](try handle.read(upToCount: pieceSize) ?? Data())
    }

    /// Names below which the files are kept on this machine: their absolute names without what they have in common.
    static func localNames(of names: [String]) -> [String] {
        let folders = names.map { $0.split(separator: "/").dropLast() }
        guard var common = folders.first else { return [] }
        for folder in folders {
            let length = zip(common, folder).prefix { $0 == $1 }.count
            common = common.prefix(length)
        }
        return names.map { $0.split(separator: "/").dropFirst(common.count).joined(separator: "/") }
    }
}

/// The checksum of a file that is read in pieces of ``JobFile/pieceSize``: XXH3 of the pieces' XXH3 values.
struct JobFileChecksum {
    private var sums: [UInt8] = []

    mutating func add(_ piece: [UInt8]) {
        let sum = piece.withUnsafeBytes(checksum)
        sums += (0..<8).map { UInt8(truncatingIfNeeded: sum >> (8 * $0)) }
    }

    var value: UInt64 { sums.withUnsafeBytes(checksum) }
}

/// An input as the submitter sees it, by which a node tells whether it reads the same file.
struct InputStamp: Codable, Equatable, Sendable {
    /// Absolute.
    var path: String
    var byteCount: Int
    /// Nanoseconds since 1970.
    var modified: Int

    /// The file as it is now; nil if there is none.
    init?(_ path: String) {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        self.path = path
        byteCount = Int(status.st_size)
        #if os(Linux)
            modified = status.st_mtim.tv_sec * 1_000_000_000 + status.st_mtim.tv_nsec
        #else
            modified = status.st_mtimespec.tv_sec * 1_000_000_000 + status.st_mtimespec.tv_nsec
        #endif
    }

    /// Most stamps of a submission.
    static let limit = 64
}
