package import CommandLineKit
import Console
import ImageScanning
package import ScanCluster

/// Decides which files a node keeps for holders of the key, and accounts for their bytes. Pure.
///
/// The store never has more bytes than its limit: a file counts from the moment when it is announced, with all its bytes.
package struct StoreLedger: Sendable {
    /// A file that is being sent.
    package struct Upload: Equatable, Sendable {
        package var file: StoredFile
        /// SHA-256 of the pieces that have arrived.
        var digests: [[UInt8]?]
        /// What it takes of the limit.
        var charge: Int
        /// When something of it arrived last.
        package var touched: Instant
    }

    /// Most bytes below the store's folder.
    package let limit: Int
    /// Bytes below the folder; nil until they are counted.
    package private(set) var used: Int?
    package private(set) var uploads: [UInt64: Upload] = [:]

    /// Most files that are sent at a time.
    package static let uploadLimit = 64
    /// Time in which a piece must arrive.
    package static let patience = Duration.seconds(60)
    /// Least that a file or a folder counts: about as many bytes as file systems have for each of their inodes.
    package static let unit = 16 << 10
    static let pathLimit = 1024
    static let depthLimit = 32

    package init(limit: Int) { self.limit = limit }

    /// Bytes of the files that are being sent.
    package var reserved: Int { uploads.values.reduce(0) { $0 + $1.charge } }

    /// Bytes that the store still takes.
    package var room: Int { max(0, limit - (used ?? 0) - reserved) }

    /// What a file of that many bytes takes of the limit.
    package static func charge(_ byteCount: Int) -> Int { (max(byteCount, 1) + unit - 1) / unit * unit }

    /// The bytes below the folder were counted.
    package mutating func counted(_ bytes: Int) { used = bytes }

    /// Checks the name and size of a file that a coordinator wants to send.
    package static func check(_ file: StoredFile) throws(CommandError) {
        let parts = file.path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        let isPlain = parts.allSatisfy { part in
            // Neither "..", which leaves the folder, nor the hidden files of programs.
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

    /// A file that was checked will be sent. `id` is a random number, by which the sender names it; `free`: bytes that the
    /// file system may still give to the store.
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

    /// All pieces were sent.
    /// - Returns: the upload, which goes on until it ``ended(_:)``.
    package func complete(_ id: UInt64, digest: [UInt8]?) throws(CommandError) -> Upload {
        guard let upload = uploads[id] else { throw Self.unknown }
        let digests = upload.digests.compactMap(\.self)
        guard digests.count == upload.digests.count, try ContentDigest.whole(digests) == digest else {
            throw CommandError(
                .output, "\(upload.file.path): the bytes that arrived are not those of the file; was it changed?")
        }
        return upload
    }

    /// A file is not sent any more. `kept`: the change of what lies below the folder, since it has its name now; nil if it
    /// has not.
    package mutating func ended(_ id: UInt64, kept: Int? = nil) {
        guard uploads.removeValue(forKey: id) != nil else { return }
        if let kept { used = (used ?? 0) + kept }
    }

    /// A folder was made.
    package mutating func madeFolders(_ count: Int) { used = (used ?? 0) + count * Self.unit }

    /// The files of which nothing has arrived for too long.
    package func stale(at now: Instant) -> [UInt64] {
        uploads.filter { now.since($0.value.touched) >= Self.patience }.map(\.key).sorted()
    }

    private static let unknown = CommandError(
        .output, "the file is not being sent: nothing has arrived for \(Int(patience / .seconds(1))) s; send it again")
}
