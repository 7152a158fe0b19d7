import CommandLineKit
import ScanCluster
import Testing

import ImageJobs

@Suite("the ledger of a store") struct StoreLedgerTests {
    private let start = Instant(nanoseconds: 0)
    private let piece = JobFile.pieceSize

    private func file(_ path: String = "night/a.fits", _ byteCount: Int = 10_000) -> StoredFile {
        StoredFile(path: path, byteCount: byteCount, modified: 1)
    }

    private func ledger(limit: Int = 1 << 20, used: Int = 0) -> StoreLedger {
        var ledger = StoreLedger(limit: limit)
        ledger.counted(used)
        return ledger
    }

    @Test(
        "Security.md: a store takes FITS files below its folder only",
        arguments: [
            "../a.fits", "night/../../a.fits", "/etc/a.fits", "night//a.fits", "night/./a.fits", "", "a.fits/",
            ".a.fits",
            ".ssh/a.fits", "night/.cache/a.fits", "a.txt", "authorized_keys", "night/a.fits.gz", "a\n.fits",
            "a\u{0}.fits",
            "a\u{7f}.fits", ".fits", String(repeating: "a", count: 252) + ".fits",
            String(repeating: "a/", count: 32) + "a.fits", String(repeating: "abcdefghi/", count: 103) + "a.fits",
        ])
    func names(path: String) {
        #expect(throws: CommandError.self) { try StoreLedger.check(file(path)) }
    }

    @Test("takes the names that images have", arguments: ["a.fits", "home/me/n 1/ä[2].FIT", "x/y.fts", "a.fits.fz"])
    func accepted(path: String) throws { try StoreLedger.check(file(path)) }

    @Test("takes no file without bytes, or of impossible sizes", arguments: [0, -1, Int.min, Int.max])
    func sizes(byteCount: Int) {
        #expect(throws: CommandError.self) { try StoreLedger.check(file("a.fits", byteCount)) }
    }

    @Test("a file counts from its announcement, in whole units and with its folders, and no longer than it is sent")
    func limit() throws {
        let unit = StoreLedger.unit
        var ledger = ledger(limit: 5 * unit, used: unit)
        try ledger.begin(file(), as: 1, free: .max, at: start)
        #expect(ledger.room == 2 * unit)
        // A folder and a unit and a byte need three.
        #expect(throws: CommandError.self) {
            try ledger.begin(file("night/b.fits", unit + 1), as: 2, free: .max, at: start)
        }
        try ledger.begin(file("b.fits", 2 * unit), as: 2, free: .max, at: start)
        #expect(ledger.room == 0)
        ledger.ended(1)
        #expect(ledger.room == 2 * unit)
        ledger.ended(2, kept: 2 * unit)
        ledger.madeFolders(1)
        #expect(ledger.room == unit && ledger.used == 4 * unit && ledger.uploads.isEmpty)
    }

    @Test("Security.md: a store never fills the disk: files that are being sent count as if they were there")
    func disk() throws {
        let unit = StoreLedger.unit
        var ledger = ledger()
        try ledger.begin(file("a.fits", unit), as: 1, free: 2 * unit, at: start)
        #expect(throws: CommandError.self) {
            try ledger.begin(file("b.fits", 2 * unit), as: 2, free: 2 * unit, at: start)
        }
        #expect(throws: CommandError.self) {
            try ledger.begin(file("b.fits", 1), as: 2, free: -1, at: start)
        }
    }

    @Test("only so many files are sent at a time")
    func uploads() throws {
        var ledger = ledger(limit: 1 << 40)
        for id in 1...UInt64(StoreLedger.uploadLimit) {
            try ledger.begin(file(), as: id, free: .max, at: start)
        }
        #expect(throws: CommandError.self) {
            try ledger.begin(file(), as: 1000, free: .max, at: start)
        }
    }

    @Test("pieces come in any order, each once and of its length; the digest is that of the whole")
    func pieces() throws {
        var ledger = ledger(limit: 1 << 40)
        try ledger.begin(file("a.fits", 2 * piece + 5), as: 7, free: .max, at: start)
        let digest = try ContentDigest.whole([[10], [11], [12]])
        func take(_ count: Int, _ offset: Int, _ digest: UInt8) throws {
            try ledger.take(count, bytesAt: offset, digest: [digest], of: 7, at: start)
        }
        try take(5, 2 * piece, 12)
        #expect(throws: CommandError.self) { try ledger.complete(7, digest: digest) }
        for (count, offset) in [
            (5, 2 * piece), (5, 0), (piece, 1), (piece, -piece), (piece, 3 * piece), (piece + 1, 0), (0, 0),
            (piece, Int.max), (piece, .min),
        ] {
            #expect(throws: CommandError.self, "\(count) at \(offset)") { try take(count, offset, 1) }
        }
        try take(piece, 0, 10)
        try take(piece, piece, 11)
        #expect(throws: CommandError.self) { try ledger.complete(7, digest: [1]) }
        #expect(throws: CommandError.self) { try ledger.complete(7, digest: nil) }
        #expect(throws: CommandError.self) { try ledger.complete(8, digest: digest) }
        #expect(try ledger.complete(7, digest: digest).file.path == "a.fits")
    }

    @Test("a file of which nothing arrives is given up")
    func stale() throws {
        var ledger = ledger(limit: 1 << 40)
        try ledger.begin(file("a.fits", piece + 1), as: 1, free: .max, at: start)
        try ledger.begin(file("b.fits", piece + 1), as: 2, free: .max, at: start)
        let later = start.advanced(by: StoreLedger.patience / 2)
        try ledger.take(1, bytesAt: piece, digest: [0], of: 2, at: later)
        #expect(ledger.stale(at: later).isEmpty)
        #expect(ledger.stale(at: start.advanced(by: StoreLedger.patience)) == [1])
    }

    @Test("the digest of a file is SHA-256 of the SHA-256 of its pieces")
    func digest() throws {
        func hex(_ bytes: [UInt8]) -> String {
            bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        }
        // FIPS 180-2, appendix B.1, and sha256sum of these 32 bytes twice.
        let piece = try ContentDigest.piece(Array("abc".utf8))
        #expect(hex(piece) == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
        #expect(
            try hex(ContentDigest.whole([piece, piece]))
                == "3b771ca97e3c17698aff21227fa046b5622a30d8ee5d2de4ee1111a1cdf258ee")
    }
}
