import Foundation
import SkyTestSupport
import Testing

import ScanBasics
import SkyCatalogue

@Suite(.timeLimit(.minutes(10)))
struct CatalogueOutputTests {
    let folder: TemporaryFolder
    private let table = SampleTable.make()

    init() throws { folder = try TemporaryFolder() }

    private func expect(
        _ code: OutputErrorCode, _ words: String, sourceLocation: SourceLocation = #_sourceLocation,
        _ body: () throws -> Void
    ) {
        let error = #expect(throws: OutputError.self, sourceLocation: sourceLocation) { try body() }
        #expect(error?.code == code, "\(String(describing: error))", sourceLocation: sourceLocation)
        #expect(error?.message.contains(words) == true, "\(String(describing: error))", sourceLocation: sourceLocation)
    }

    @Test(
        "the ending chooses the format",
        arguments: [
            ("a.fits", "fits"), ("a.fit", "fits"), ("b/A.CSV", "csv"), ("a.b.ecsv", "ecsv"), ("-", "csv"),
            ("a.fits.gz", "fits"), ("a.FIT.GZ", "fits"), ("a.csv.gz", "csv"), ("a.ecsv.gz", "ecsv"),
        ])
    func endings(path: String, format: String) throws {
        #expect(try CatalogueOutput(path: path).format.rawValue == format)
    }

    @Test(
        "an unknown ending lists the known ones",
        arguments: ["a.txt", "fits", "a.reg.gz", "fits.gz", ".gz", "a.gz/b", "a.csv/b", ".", ""])
    func unknownEnding(path: String) {
        expect(.unknownFormat, ".fits, .fit, .csv or .ecsv, each also with .gz, .reg") {
            _ = try CatalogueOutput(path: path)
        }
    }

    @Test(
        "a name that ends in .gz makes a compressed file of the same bytes, the same each time",
        .enabled(if: access("/bin/gzip", X_OK) == 0, "needs gzip"), arguments: ["fits", "fit", "csv", "ecsv"])
    func compressed(ending: String) throws {
        // Longer than a piece of the writers and than the compressor's buffer.
        let values = (0..<100_000).map { Int64(truncatingIfNeeded: ($0 &* 2_654_435_761) ^ ($0 << 20)) }
        let table = CatalogueTable(columns: [.init("n", description: "a number", .int64(values))])
        try CatalogueOutput(path: folder.path("plain.\(ending)")).write(table)
        for name in ["a", "b"] { try CatalogueOutput(path: folder.path("\(name).\(ending).gz")).write(table) }
        let first = try Data(contentsOf: URL(fileURLWithPath: folder.path("a.\(ending).gz")))
        #expect(try first == Data(contentsOf: URL(fileURLWithPath: folder.path("b.\(ending).gz"))))
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/gzip")
        process.arguments = ["-d", folder.path("a.\(ending).gz")]
        try process.run()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        let plain = try Data(contentsOf: URL(fileURLWithPath: folder.path("plain.\(ending)")))
        #expect(try Data(contentsOf: URL(fileURLWithPath: folder.path("a.\(ending)"))) == plain)
        #expect(first.count < plain.count)
        #expect(folder.names == ["a.\(ending)", "b.\(ending).gz", "plain.\(ending)"])
    }

    @Test("an existing file is refused before and after the scan, unless it may be replaced")
    func existing() throws {
        let path = try folder.write([1, 2], "a.csv")
        let output = try CatalogueOutput(path: path)
        expect(.exists, "--overwrite") { try output.prepare() }
        expect(.exists, "--overwrite") { try output.write(table) }
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == Data([1, 2]))
        chmod(path, 0o640)
        let replacing = try CatalogueOutput(path: path, overwrite: true)
        try replacing.prepare()
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == Data([1, 2]))
        try replacing.write(table)
        #expect(try String(contentsOfFile: path, encoding: .utf8).hasPrefix("number,"))
        var status = stat()
        #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o640)
        #expect(folder.names == ["a.csv"])
    }

    @Test("a file that appears during the scan is not replaced")
    func appearing() throws {
        let path = folder.path("a.csv")
        let file = try AtomicFile(path: path, overwrite: false)
        try file.write([7])
        _ = try folder.write([1], "a.csv")
        expect(.exists, "exists already") { try file.commit() }
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == Data([1]))
        #expect(folder.names == ["a.csv"])
    }

    @Test("an output that cannot be written is reported before the scan")
    func unwritable() throws {
        let file = try folder.write([1], "file")
        try FileManager.default.createDirectory(atPath: folder.path("dir.csv"), withIntermediateDirectories: true)
        let device = folder.path("null.csv")
        try FileManager.default.createSymbolicLink(atPath: device, withDestinationPath: "/dev/null")
        let dangling = folder.path("dangling.csv")
        try FileManager.default.createSymbolicLink(atPath: dangling, withDestinationPath: folder.path("none/x"))
        let cases = [
            (folder.path("none/a.csv"), "create it first"), ("\(file)/a.csv", "create it first"),
            (folder.path("dir.csv"), "is a folder"), (device, "no regular file"), (dangling, "create it first"),
            (folder.path(String(repeating: "n", count: 300) + ".csv"), "choose another name"),
        ]
        for (path, words) in cases {
            expect(.unwritable, words) { try CatalogueOutput(path: path, overwrite: true).prepare() }
            expect(.unwritable, words) { try CatalogueOutput(path: path, overwrite: true).write(table) }
        }
        #expect(folder.names == ["dangling.csv", "dir.csv", "file", "null.csv"])
    }

    @Test(
        "a folder that may not be changed is an error",
        .enabled(if: Unprivileged.isPossible, "root may write everywhere"))
    func readOnlyFolder() throws {
        chmod(folder.path, 0o500)
        defer { chmod(folder.path, 0o700) }
        expect(.unwritable, "permission denied") {
            try Unprivileged.run { try CatalogueOutput(path: folder.path("a.csv")).prepare() }
        }
    }

    @Test("a full disk is named as such", .enabled(if: access("/dev/full", W_OK) == 0, "needs /dev/full"))
    func fullDisk() {
        let failure = withUnsafeBytes(of: 7) { bytes in
            let descriptor = open("/dev/full", O_WRONLY)
            defer { close(descriptor) }
            return writeAll(bytes, to: descriptor)
        }
        #expect(failure == ENOSPC)
        let error = AtomicFile.failure("a.csv", ENOSPC)
        #expect(error.code == .noSpace && error.message.contains("no space left on device"))
        #expect(AtomicFile.failure("a.csv", EIO).code == .failed)
        #expect(AtomicFile.failure("a.csv", EROFS).code == .unwritable)
    }

    @Test("when one of several outputs cannot be written, none appears")
    func allOrNothing() throws {
        let good = try CatalogueOutput(path: folder.path("a.csv"))
        let bad = try CatalogueOutput(path: folder.path("none/b.fits"))
        expect(.unwritable, "create it first") { try CatalogueOutput.write(table, to: [good, bad]) }
        #expect(folder.names.isEmpty)
        let other = try CatalogueOutput(path: folder.path("b.fits"))
        try CatalogueOutput.write(table, to: [good, other])
        #expect(folder.names == ["a.csv", "b.fits"])
    }

    @Test("a finished file has no final name yet, and is removed unless committed")
    func finished() throws {
        do {
            let file = try AtomicFile(path: folder.path("a.csv"), overwrite: false)
            try file.write([1])
            try file.finish()
            #expect(!folder.names.contains("a.csv"))
        }
        #expect(folder.names.isEmpty)
    }

    @Test("a link is followed: its target is replaced, the link stays")
    func symbolicLink() throws {
        let target = try folder.write([1], "target.csv")
        let link = folder.path("link.csv")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: target)
        try CatalogueOutput(path: link, overwrite: true).write(table)
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == target)
        #expect(try String(contentsOfFile: target, encoding: .utf8).hasPrefix("number,"))
    }

    @Test("a cancelled writer leaves no file")
    func cancelled() async throws {
        let (path, table) = (folder.path("a.csv"), table)
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try CatalogueOutput(path: path).write(table)
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(folder.names.isEmpty)
    }

    @Test("standard output needs no preparation")
    func standardOutput() throws {
        let output = try CatalogueOutput(path: "-")
        try output.prepare()
        #expect(output.isStandardOutput)
    }
}
