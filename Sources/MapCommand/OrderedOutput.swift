import CommandLineKit
import Console
import Foundation
import ScanBasics

/// Writes the outputs of items in the order of the items. Those that are early wait in memory and, beyond a limit, in a
/// file without a name. At a terminal control characters are replaced, as those of all other outputs are.
struct OrderedOutput {
    private enum Early {
        case bytes([UInt8])
        case spooled(offset: Int64, count: Int)
    }

    private var next = 0
    private var early: [Int: Early] = [:]
    private var bytesInMemory = 0
    private var spool: OpenDescriptor?
    private var spooled: Int64 = 0
    private let limit: Int
    private let descriptor: Int32
    private let isTerminal: Bool

    /// Writes to `descriptor`, and keeps up to `limit` bytes in memory.
    init(to descriptor: Int32 = STDOUT_FILENO, limit: Int = 64 << 20) {
        (self.descriptor, self.limit) = (descriptor, limit)
        isTerminal = Terminal(descriptor: descriptor).isTerminal
    }

    /// The output of the item at `index`; empty for an item that failed. A line end is added if it has none.
    /// - Throws: `CommandError` if it cannot be written.
    mutating func add(_ bytes: [UInt8], at index: Int) throws {
        let bytes = bytes.isEmpty || bytes.last == UInt8(ascii: "\n") ? bytes : bytes + [UInt8(ascii: "\n")]
        if index == next {
            try write(bytes)
            next += 1
            try writeEarly()
        } else if bytesInMemory + bytes.count <= limit {
            bytesInMemory += bytes.count
            early[index] = .bytes(bytes)
        } else {
            early[index] = try spool(bytes)
        }
    }

    /// Writes what still waits for the outputs of items before it.
    /// - Throws: `CommandError` if it cannot be written.
    mutating func finish() throws {
        for index in early.keys.sorted() {
            next = index
            try writeEarly()
        }
    }

    private mutating func writeEarly() throws {
        while let entry = early.removeValue(forKey: next) {
            switch entry {
            case .bytes(let bytes):
                bytesInMemory -= bytes.count
                try write(bytes)
            case .spooled(let offset, let count):
                guard let bytes = try spool?.bytes(at: offset, count: count), bytes.count == count else {
                    throw CommandError(.output, "map: the file for results that wait cannot be read")
                }
                try write(bytes)
            }
            next += 1
        }
    }

    private mutating func spool(_ bytes: [UInt8]) throws(CommandError) -> Early {
        let file: OpenDescriptor
        if let spool { file = spool } else { file = try Self.newSpool() }
        spool = file
        let error = bytes.withUnsafeBytes { writeAll($0, to: file.number) }
        if let error { throw CommandError(.output, "map: the file for results that wait", errno: error) }
        defer { spooled += Int64(bytes.count) }
        return .spooled(offset: spooled, count: bytes.count)
    }

    private static func newSpool() throws(CommandError) -> OpenDescriptor {
        var name = Array((FileManager.default.temporaryDirectory.path + "/skyfarm-map-XXXXXX").utf8CString)
        let number = mkstemp(&name)
        guard number >= 0 else { throw CommandError(.output, "map: the file for results that wait", errno: errno) }
        _ = fcntl(number, F_SETFD, FD_CLOEXEC)
        unlink(name)
        return OpenDescriptor(number)
    }

    private func write(_ bytes: [UInt8]) throws(CommandError) {
        let shown = isTerminal ? Array(String(decoding: bytes, as: UTF8.self).printableLines.utf8) : bytes
        let error = shown.withUnsafeBytes { writeAll($0, to: descriptor) }
        if let error { throw CommandError(error == EPIPE ? .brokenPipe : .output, "standard output", errno: error) }
    }
}
