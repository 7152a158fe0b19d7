package import CommandLineKit
package import Foundation

/// A tar archive in the POSIX ustar format, which the `tar` of every system extracts.
package struct TapeArchive: Sendable {
    /// Parts in order; contents of files are mapped, not read.
    package private(set) var parts: [Data] = []

    /// Number of bytes without the end-of-archive blocks.
    package private(set) var size = 0

    package init() {}

    private static let block = 512

    /// Adds a file. `name` is a relative path of at most 100 bytes, and `mode` contains its permissions.
    /// - Throws: `CommandError` if the name or the file is too long.
    package mutating func add(_ name: String, mode: UInt16, _ contents: Data) throws(CommandError) {
        // The size field of the header has 11 octal digits.
        guard name.utf8.count <= 100, contents.count < 1 << 33 else {
            throw CommandError(.failure, "\(name): too long for an archive")
        }
        append(Self.header(name, mode: mode, size: contents.count))
        append(contents)
        append(Data(count: (Self.block - contents.count % Self.block) % Self.block))
    }

    /// All parts and the end-of-archive blocks.
    package var ended: [Data] { parts + [Data(count: 2 * Self.block)] }

    private mutating func append(_ part: Data) {
        if part.isEmpty { return }
        parts.append(part)
        size += part.count
    }

    /// Returns the header of a regular file; see pax(1), "ustar Interchange Format".
    private static func header(_ name: String, mode: UInt16, size: Int) -> Data {
        var bytes = [UInt8](repeating: 0, count: block)
        func put(_ text: String, at place: Int) {
            bytes.replaceSubrange(place..<place + text.utf8.count, with: text.utf8)
        }
        func octal(_ number: Int, _ digits: Int) -> String {
            let text = String(number, radix: 8)
            return String(repeating: "0", count: digits - text.count) + text
        }
        put(name, at: 0)
        put(octal(Int(mode), 7), at: 100)
        put(octal(0, 7), at: 108)
        put(octal(0, 7), at: 116)
        put(octal(size, 11), at: 124)
        put(octal(0, 11), at: 136)
        put("0", at: 156)
        put("ustar", at: 257)
        put("00", at: 263)
        // The checksum is computed with spaces in its own field.
        put(String(repeating: " ", count: 8), at: 148)
        let sum = bytes.reduce(0) { $0 + Int($1) }
        put(octal(sum, 6) + "\0 ", at: 148)
        return Data(bytes)
    }
}
