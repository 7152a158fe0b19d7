import Foundation
import SkyTestSupport
import Testing

import ScanBasics
import SkyFITS
import SkyMeasurement

@Suite("outputs of processes that are killed") struct LeftFilesTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Whether the file system of the tests has files without names.
    private static let hasUnnamedFiles = {
        guard let folder = try? TemporaryFolder(),
            let file = try? AtomicFile(path: folder.path("a"), overwrite: false)
        else { return false }
        return withExtendedLifetime(file) { folder.names.isEmpty }
    }()

    private func age(_ name: String) {
        let old = [timespec(tv_sec: 1_000_000_000, tv_nsec: 0), timespec(tv_sec: 1_000_000_000, tv_nsec: 0)]
        #expect(utimensat(AT_FDCWD, folder.path(name), old, 0) == 0)
    }

    private func bytes(_ name: String) throws -> Data {
        try Data(contentsOf: URL(fileURLWithPath: folder.path(name)))
    }

    @Test(
        "have no name before they are complete", .enabled(if: hasUnnamedFiles, "needs O_TMPFILE"),
        arguments: [false, true])
    func unnamed(replaces: Bool) throws {
        if replaces { _ = try folder.write([2], "a.csv") }
        let file = try AtomicFile(path: folder.path("a.csv"), overwrite: replaces)
        try file.write([1])
        try file.finish()
        // A kill would leave these.
        #expect(folder.names == (replaces ? ["a.csv"] : []))
        try file.commit()
        #expect(folder.names == ["a.csv"])
        #expect(try bytes("a.csv") == Data([1]))
    }

    private func checkImage(_ name: String, hasName: Bool) throws -> CheckImageFile {
        let path = folder.path(name)
        let file = try CheckImageFile(
            .segmentation, path: path,
            in: AtomicFile(path: path, at: nil, overwrite: false, hasName: hasName), isOnly: true)
        try file.begin(width: 300, height: 200, header: FITSHeader(bytes: []))
        for row in 0..<200 { try file.write((0..<300).map { Int32(row * $0) }) }
        return file
    }

    @Test(
        "of a library have none either, and the same bytes", .enabled(if: hasUnnamedFiles, "needs O_TMPFILE"),
        arguments: [".fits", ".fits.fz"])
    func library(ending: String) throws {
        let file = try checkImage("a" + ending, hasName: false)
        #expect(folder.names.isEmpty)
        try file.finish()
        try checkImage("b" + ending, hasName: true).finish()
        #expect(folder.names == ["a" + ending, "b" + ending])
        #expect(try bytes("a" + ending) == bytes("b" + ending))
    }

    @Test("of a library that must create a file by name are in a locked folder, which is removed unless committed")
    func lent() throws {
        do {
            let file = try checkImage("a.fits", hasName: true)
            let name = try #require(folder.names.first)
            let other = open(folder.path(name), O_RDONLY | O_CLOEXEC)
            defer { close(other) }
            #expect(name.hasSuffix(".part") && flock(other, LOCK_EX | LOCK_NB) != 0)
            _ = file
        }
        #expect(folder.names.isEmpty)
    }

    @Test("are removed, if they have temporary names; what another process writes stays")
    func leftFiles() throws {
        let names = [".skyfarm-1.part", ".skyfarm-2.part", ".skyfarm-3.part", "skyfarm-4.part", ".skyfarm-5.fits"]
        for name in names { _ = try folder.write([1], name) }
        // A library was writing a file in this one.
        #expect(mkdir(folder.path(".skyfarm-6.part"), 0o700) == 0)
        _ = try folder.write([1], ".skyfarm-6.part/file")
        let held = open(folder.path(".skyfarm-2.part"), O_RDONLY | O_CLOEXEC)
        defer { close(held) }
        #expect(flock(held, LOCK_EX) == 0)
        for name in names + [".skyfarm-6.part"] where name != ".skyfarm-3.part" { age(name) }
        LeftFiles.remove(in: folder.path)
        // The third is so young that its writer may not have locked it yet.
        #expect(folder.names == names.dropFirst().sorted())
        LeftFiles.remove(in: folder.path("none"))
    }

    @Test("are removed by the next output that needs such a name", arguments: [false, true])
    func next(replaces: Bool) throws {
        _ = try folder.write([1], ".skyfarm-1.part")
        age(".skyfarm-1.part")
        if replaces { _ = try folder.write([1], "a.csv") }
        let file = try AtomicFile(path: folder.path("a.csv"), at: nil, overwrite: replaces, hasName: !replaces)
        try file.commit()
        #expect(folder.names == ["a.csv"])
    }
}
