internal import CSystem
internal import Foundation
internal import ScanBasics
internal import ScanCluster
internal import TaskJournal

/// Fingerprints that earlier processes of this user have computed, one per program, set of libraries and processor.
///
/// A file of lines in the user's cache folder: key, the checksums of the fingerprint, and the checksum of the line. A
/// line that is damaged, and a file that another user may change, count as missing. Nothing depends on the file but time.
package struct FingerprintCache {
    /// The file; nil without a cache folder.
    package let path: String?

    /// Lines that are kept: one per program that a user has at a time.
    private static let mostLines = 16
    /// The length of a line of at most eight numbers, as 16 hexadecimal digits each, with their separators.
    private static let mostLength = 136

    /// The cache of the user whose process has this environment.
    package init(environment: [String: String]) { path = UserFolder.cache.path(environment).map { $0 + "/arithmetic" } }

    /// What the fingerprint depends on: program and libraries, by their build IDs, and processor; nil if one of
    /// them cannot be identified.
    package static func key() -> UInt64? {
        let code = [UInt8](unsafeUninitializedCapacity: 1 << 14) { bytes, count in
            count = skyfarm_loaded_code(bytes.baseAddress, bytes.count)
        }
        guard !code.isEmpty else { return nil }
        return code.withUnsafeBytes { Checksum.of($0) }
    }

    /// The checksums of a key. If there are none, they are computed and kept; that they cannot be kept is no error.
    package func values(of key: UInt64?, compute: () -> [UInt64]) -> [UInt64] {
        guard let key, let path else { return compute() }
        let lines = self.lines(of: path)
        if let known = lines.first(where: { $0.key == key }) { return known.values }
        let values = compute()
        write(lines.suffix(Self.mostLines - 1) + [(key, values)], to: path)
        return values
    }

    private typealias Line = (key: UInt64, values: [UInt64])

    private func lines(of path: String) -> [Line] {
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW)
        guard file >= 0 else { return [] }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid(),
            status.st_mode & (S_IWGRP | S_IWOTH) == 0
        else { return [] }
        let bytes = [UInt8](unsafeUninitializedCapacity: Self.mostLines * Self.mostLength) { buffer, count in
            count = max(0, read(file, buffer.baseAddress, buffer.count))
        }
        return bytes.split(separator: UInt8(ascii: "\n")).compactMap { line in
            let numbers = line.split(separator: UInt8(ascii: " ")).map {
                UInt64(String(decoding: $0, as: UTF8.self), radix: 16)
            }
            let known = numbers.compactMap(\.self)
            guard known.count == numbers.count, let key = known.first, known.count > 2,
                known.last == Self.checksum(known.dropLast())
            else { return nil }
            return (key, Array(known[1..<known.count - 1]))
        }
    }

    private func write(_ lines: [Line], to path: String) {
        let text = lines.map { line in
            let numbers = [line.key] + line.values
            return (numbers + [Self.checksum(numbers)]).map(\.hexadecimal).joined(separator: " ") + "\n"
        }
        let file = URL(filePath: path)
        let manager = FileManager.default
        try? manager.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
        try? Data(text.joined().utf8).write(to: file, options: .atomic)
    }

    private static func checksum(_ numbers: some Sequence<UInt64>) -> UInt64 {
        numbers.map(\.littleEndian).withUnsafeBytes { Checksum.of($0) }
    }
}
