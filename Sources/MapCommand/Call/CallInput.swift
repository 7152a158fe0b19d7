import CommandLineKit
import Console
import Foundation
import ProgramTask
import ScanBasics

/// Reads values from a file, one after the other: lines of JSON, or frames, each of which is the length of a value (64 bits,
/// little endian) and the value in the form of `_values.py`. Used by one thread at a time.
struct CallInput: Sendable {
    private let file: OpenDescriptor
    private let name: String
    private let usesFrames: Bool
    private var buffer: [UInt8] = []
    private var start = 0
    private var hasEnded = false
    private var line = 0

    /// Opens the file, or standard input.
    /// - Throws: `CommandError` if it cannot be opened.
    init(_ path: String?, usesFrames: Bool) throws(CommandError) {
        let number = path.map { open($0, O_RDONLY | O_CLOEXEC) } ?? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3)
        name = path ?? "standard input"
        guard number >= 0 else { throw CommandError(.input, name, errno: errno) }
        (file, self.usesFrames) = (OpenDescriptor(number), usesFrames)
    }

    /// The next value, in the form of `_values.py`; nil at the end.
    /// - Throws: `CommandError` if it cannot be read.
    mutating func next() throws(CommandError) -> [UInt8]? {
        if usesFrames { return try nextFrame() }
        while let text = try nextLine() {
            if text.allSatisfy({ [0x20, 0x09, 0x0d].contains($0) }) { continue }
            let data = Data(text)
            guard (try? JSONSerialization.jsonObject(with: data, options: .fragmentsAllowed)) != nil else {
                throw CommandError(.input, "\(name): line \(line) is not a value in JSON")
            }
            return PythonValue.form(json: Array(text))
        }
        return nil
    }

    private mutating func nextLine() throws(CommandError) -> ArraySlice<UInt8>? {
        var searched = start
        while true {
            if let end = buffer[searched...].firstIndex(of: UInt8(ascii: "\n")) {
                defer { start = end + 1 }
                line += 1
                return buffer[start..<end]
            }
            searched = buffer.count
            if hasEnded {
                if start == buffer.count { return nil }
                defer { start = buffer.count }
                line += 1
                return buffer[start...]
            }
            guard buffer.count - start <= PythonTask.valueLimit else {
                throw CommandError(.input, "\(name): line \(line + 1) is longer than a value may be")
            }
            searched -= start
            try more(1 << 16)
        }
    }

    private mutating func nextFrame() throws(CommandError) -> [UInt8]? {
        while buffer.count - start < 8, !hasEnded { try more(1 << 16) }
        if buffer.count == start { return nil }
        guard buffer.count - start >= 8 else { throw CommandError(.input, "\(name): ends within a frame") }
        let size = buffer[start..<start + 8].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        guard size <= PythonTask.valueLimit else {
            throw CommandError(.input, "\(name): a value has \(size) bytes, more than \(PythonTask.valueLimit)")
        }
        let count = 8 + Int(size)
        while buffer.count - start < count, !hasEnded { try more(max(1 << 16, count - (buffer.count - start))) }
        guard buffer.count - start >= count else { throw CommandError(.input, "\(name): ends within a frame") }
        defer { start += count }
        return Array(buffer[start + 8..<start + count])
    }

    /// Reads up to `room` further bytes.
    private mutating func more(_ room: Int) throws(CommandError) {
        buffer.removeFirst(start)
        start = 0
        let used = buffer.count
        buffer.append(contentsOf: repeatElement(0, count: room))
        var got = -1
        repeat {
            got = buffer.withUnsafeMutableBytes { Foundation.read(file.number, $0.baseAddress.map { $0 + used }, room) }
        } while got < 0 && errno == EINTR
        let code = errno
        buffer.removeLast(room - max(0, got))
        if got < 0 { throw CommandError(.input, name, errno: code) }
        if got == 0 { hasEnded = true }
    }
}
