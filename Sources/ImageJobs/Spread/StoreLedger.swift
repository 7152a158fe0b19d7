package import CommandLineKit
import Console
import ImageScanning
package import ScanCluster

/// Decides which files a node keeps for holders of the key, and accounts for their size. Pure.
///
/// The store never exceeds its limit, since a file counts with its full size from its announcement.
package struct StoreLedger: Sendable {
    /// A file that is being received.
    package struct Upload: Equatable, Sendable {
        package var file: StoredFile
        /// SHA-256 of each piece, or nil if it has not arrived.
        var digests: [[UInt8]?]
        /// Number of bytes counted against the limit.
        var charge: Int
        /// Time when data for it last arrived.
        package var touched: Instant
    }

    /// Maximum number of bytes below the store's folder.
    package let limit: Int
    /// Number of bytes below the folder, or nil until they are counted.
    package private(set) var used: Int?
    package private(set) var uploads: [UInt64: Upload] = [:]

    /// Maximum number of concurrent uploads.
    package static let uploadLimit = 64
    /// Time limit for the next piece of an upload.
    package static let patience = Duration.seconds(60)
    /// Unit of accounting in bytes, which is also the minimum for a file or a folder; file systems have about as many
    /// bytes for each of their inodes.
    package static let unit = 16 << 10
    static let pathLimit = 1024
    static let depthLimit = 32

    package init(limit: Int) { self.limit = limit }

    /// Number of bytes of the files that are being received.
    package var reserved: Int { uploads.values.reduce(0) { $0 + $1.charge } }

    /// Number of bytes that the store still accepts.
    package var room: Int { max(0, limit - (used ?? 0) - reserved) }

    /// Returns the number of bytes that a file counts against the limit.
    package static func charge(_ byteCount: Int) -> Int { (max(byteCount, 1) + unit - 1) / unit * unit }

    /// Sets the number of bytes below the folder.
    package mutating func counted(_ bytes: Int) { used = bytes }

    /// Checks name and size of a file that a coordinator wants to send.
    package static func check(_ file: StoredFile) throws(CommandError) {
        let parts = file.path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        let isPlain = parts.allSatisfy { part in
            // Excludes "..", which leaves the folder, and hidden files of programs.
            !part.isEmpty && part.count <= 255 && part.first != UInt8(ascii: ".")
                && part.allSatisfy { $0 >= 0x20 && $0 != 0x7f }
        }
        let name = InputList.lastName(of: file.path)
        guard isPlain, file.path.utf8.count <= pathLimit, parts.count <= depthLimit, InputList.isImageName(name),
            !name.lowercased().hasSuffix(".gz")
        else { throw CommandError(.output, "no name of a FITS file that a store takes: \(file.path.printable)") }
        guard file.byteCount > 0, file.byteCount <= Int.max / 4, file.modified >= 0 else {
            throw CommandError(.output, "\(file.path): a file of \(file.byteCount) bytes cannot be kept")
        }
    }

    /// Registers a checked file that will be sent. `id` is a random number by which the sender identifies it, and
    /// `free` is the number of bytes that the file system can still provide.
    /// - Throws: ``CommandError`` if there is no room for it.
    package mutating func begin(
        _ file: StoredFile, as id: UInt64, free: Int, at now: Instant
    ) throws(CommandError) {
        guard uploads.count < Self.uploadLimit, uploads[id] == nil else {
            throw CommandError(.output, "\(Self.uploadLimit) files are being sent already; try again")
        }
        let folders = file.path.utf8.count { $0 == UInt8(ascii: "/") }
        let charge = Self.charge(file.byteCount) + folders * Self.unit
        guard charge <= room else {
            throw CommandError(
                .output,
                "\(file.path): the store is full: \(HumanFormat.byteCount(room)) of its limit of"
                    + " \(HumanFormat.byteCount(limit)) are left (--store-limit)")
        }
        guard charge <= free - reserved else {
            throw CommandError(.output, "\(file.path): the disk of the store is nearly full")
        }
        let pieces = (file.byteCount + JobFile.pieceSize - 1) / JobFile.pieceSize
        uploads[id] = Upload(
            file: file, digests: Array(repeating: nil, count: pieces), charge: charge, touched: now)
    }

    package mutating func take(
        _ count: Int, bytesAt offset: Int, digest: [UInt8], of id: UInt64, at now: Instant
    ) throws(CommandError) {
        let size = JobFile.pieceSize
        guard var upload = uploads[id] else { throw Self.unknown }
        guard offset >= 0, offset < upload.file.byteCount, offset.isMultiple(of: size),
            count == min(size, upload.file.byteCount - offset), upload.digests[offset / size] == nil
        else { throw CommandError(.output, "\(upload.file.path): a piece of other bytes was sent") }
        upload.digests[offset / size] = digest
        upload.touched = now
        uploads[id] = upload
    }

    /// Verifies that all pieces have arrived.
    /// - Returns: The upload, which continues until ``ended(_:)``.
    package func complete(_ id: UInt64, digest: [UInt8]?) throws(CommandError) -> Upload {
        guard let upload = uploads[id] else { throw Self.unknown }
        let digests = upload.digests.compactMap(\.self)
        guard digests.count == upload.digests.count, try ContentDigest.whole(digests) == digest else {
            throw CommandError(
                .output, "\(upload.file.path): the bytes that arrived are not those of the file; was it changed?")
        }
        return upload
    }

    /// Ends an upload. If the file got its name, `kept` is the change of the number of bytes below the folder;
    /// otherwise it is nil.
    package mutating func ended(_ id: UInt64, kept: Int? = nil) {
        guard uploads.removeValue(forKey: id) != nil else { return }
        if let kept { used = (used ?? 0) + kept }
    }

    /// Accounts for created folders.
    package mutating func madeFolders(_ count: Int) { used = (used ?? 0) + count * Self.unit }

    /// Returns the uploads for which no data has arrived within ``patience``.
    package func stale(at now: Instant) -> [UInt64] {
        uploads.filter { now.since($0.value.touched) >= Self.patience }.map(\.key).sorted()
    }

    private static let unknown = CommandError(
        .output, "the file is not being sent: nothing has arrived for \(Int(patience / .seconds(1))) s; send it again")
}
