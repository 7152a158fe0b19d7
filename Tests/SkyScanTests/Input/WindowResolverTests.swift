import Foundation
import ScanCluster
import ScanNetwork
import SkyExtraction
import SkyFITS
import SkyTestSupport
import Testing

@testable import SkyScan

@Suite("windows that a node reads from its own files", .timeLimit(.minutes(10)))
struct WindowResolverTests {
    private let files: SkyFile
    private let resolver: WindowResolver

    init() throws {
        files = try SkyFile()
        resolver = WindowResolver(try DataFolders([files.folder]))
    }

    private func bytes(_ bulk: BulkBytes) -> [UInt8] { bulk.withUnsafeBytes { [UInt8]($0) } }

    @Test("have the bytes that the coordinator would send: samples, weights and mask")
    func same() async throws {
        let image = try files.image(width: 9, height: 7) { x, y in Float(10 * y + x) }
        let mask = try files.image("mask.fits", width: 9, height: 7) { x, y in x == y ? -2 : 0 }
        let weights = try files.image("weights.fits", width: 9, height: 7) { x, y in Float(x * y) }
        for (mask, weights) in [(nil, nil), (mask, nil), (nil, weights), (mask, weights)] {
            let reader = try ImageReader(image: image, mask: mask, weights: weights)
            for rect in [
                PixelRect(x: 0..<9, y: 0..<7), PixelRect(x: 0..<9, y: 2..<5), PixelRect(x: 2..<5, y: 6..<7),
            ] {
                let window = reader.contents(of: rect)
                let reference = try #require(reader.reference(to: window))
                let found = try resolver.bytes(of: reference, count: window.byteCount, unpackedCount: nil)
                #expect(try await bytes(reader.read(window)) == bytes(found))
            }
        }
    }

    @Test("are of the HDU that is scanned")
    func otherHDU() throws {
        let image = try files.image(width: 9, height: 7) { _, _ in 1 }
        let names = try names(of: "\(image)[0]")
        #expect(names.image.hdu == 0 && names.image.path.hasSuffix("/sky.fits") && names.mask == nil)
        var wrong = names
        wrong.image.hdu = 1
        let window = WindowPixels(rect: PixelRect(x: 0..<9, y: 0..<7), hasWeights: false, hasMask: false)
        #expect(throws: ImageError.self) { try read(wrong, window) }
    }

    private func names(of image: String) throws -> FileNames {
        let files = ImageFiles(image: try FITSImage(image), mask: nil, weights: nil)
        return try #require(FileNames(files, try OpenFiles(files)))
    }

    @Test("are of files that are not compressed as a whole")
    func compressed() throws {
        let image = try files.image(width: 9, height: 7) { _, _ in 1 }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["gzip", image]
        try process.run()
        process.waitUntilExit()
        let reader = try ImageReader(image: image + ".gz")
        #expect(reader.reference(to: reader.contents(of: PixelRect(x: 0..<9, y: 0..<7))) == nil)
    }

    private func read(_ names: FileNames, _ window: WindowPixels, count: Int? = nil) throws -> BulkBytes {
        let reference = BulkReference(
            origin: try WireEncoder().encode(names), part: try WireEncoder().encode(window))
        return try resolver.bytes(of: reference, count: count ?? window.byteCount, unpackedCount: nil)
    }

    @Test("are refused if they are not in the image, or of another size than is said")
    func impossible() throws {
        let image = try files.image(width: 9, height: 7) { _, _ in 1 }
        let names = try names(of: image)
        func window(_ x: Range<Int>, _ y: Range<Int>, weights: Bool = false, mask: Bool = false) -> WindowPixels {
            WindowPixels(rect: PixelRect(x: x, y: y), hasWeights: weights, hasMask: mask)
        }
        #expect(try read(names, window(0..<9, 0..<7)).count == 252)
        let huge = 1 << 40
        for wrong in [
            window(0..<10, 0..<7), window(0..<9, 0..<8), window(-1..<9, 0..<7), window(0..<0, 0..<7),
            window(20..<20, 30..<40), window(0..<9, 7..<7), window(0..<huge, 0..<huge), window(0..<9, 900..<901),
            window(0..<9, 0..<7, weights: true), window(0..<9, 0..<7, mask: true),
        ] {
            #expect(throws: (any Error).self, "\(wrong)") {
                try read(names, wrong, count: wrong.rect.y.count > 1 << 20 ? 252 : wrong.byteCount)
            }
        }
        #expect(throws: ScanSetupError.self) { try read(names, window(0..<9, 0..<7), count: 251) }
        #expect(throws: (any Error).self) {
            try resolver.bytes(of: BulkReference(origin: [1, 2], part: []), count: 252, unpackedCount: nil)
        }
    }

    @Test("are not of a file that differs in size, time or header from the coordinator's")
    func identity() throws {
        let image = try files.image(width: 9, height: 7) { _, _ in 1 }
        let names = try names(of: image)
        let identity = try #require(names.image.identity)
        let window = WindowPixels(rect: PixelRect(x: 0..<9, y: 0..<7), hasWeights: false, hasMask: false)
        #expect(names.areIdentified && identity.size == 5760)
        #expect(try read(names, window).count == 252)
        for change in [
            { $0.size += 1 }, { $0.modified += 1 }, { $0.header ^= 1 },
        ] as [(inout FileIdentity) -> Void] {
            var other = names
            var changed = identity
            change(&changed)
            other.image.identity = changed
            #expect(throws: ImageError.self) { try read(other, window) }
        }
        // Written again since.
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSince1970: 1e9)], ofItemAtPath: image)
        #expect(throws: ImageError.self) { try read(names, window) }
    }

    @Test("are of a copy whose folder has another path than the coordinator's, if it keeps the end of the path")
    func copies() throws {
        let image = try files.image(width: 9, height: 7) { x, y in Float(10 * y + x) }
        let names = try names(of: image)
        let other = try SkyFile()
        let folder = other.folder + "/" + (names.image.path as NSString).deletingLastPathComponent
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try Data(contentsOf: URL(fileURLWithPath: image)).write(
            to: URL(fileURLWithPath: other.folder + names.image.path))
        let window = WindowPixels(rect: PixelRect(x: 2..<9, y: 1..<7), hasWeights: false, hasMask: false)
        let reference = BulkReference(
            origin: try WireEncoder().encode(names), part: try WireEncoder().encode(window), identifiesBytes: true)
        let resolver = WindowResolver(try DataFolders([other.folder]))
        #expect(throws: ImageError.self) {
            try resolver.bytes(of: reference, count: window.byteCount, unpackedCount: nil)
        }
        let time = try #require(names.image.identity).modified
        var times = [timespec](
            repeating: timespec(tv_sec: Int(time / 1_000_000_000), tv_nsec: Int(time % 1_000_000_000)), count: 2)
        try #require(utimensat(AT_FDCWD, other.folder + names.image.path, &times, 0) == 0)
        let found = try resolver.bytes(of: reference, count: window.byteCount, unpackedCount: nil)
        #expect(try bytes(found) == bytes(read(names, window)))
    }

    @Test("leave none to read for the coordinator, and neither do the checksums")
    func nothingRead() async throws {
        let image = try files.field()
        let cluster = try await LoopbackCluster(nodes: 2, resolver: resolver)
        defer { cluster.close() }
        let reader = try ImageReader(image: image)
        let scan = try SkyScan(
            reader: reader, parameters: ScanParameters(), bandRows: 64, coordinator: cluster.coordinator, job: 1)
        let result = try await scan.run()
        let checksums = try await reader.checksums(by: cluster.coordinator)
        #expect(result.sources.count > 20 && cluster.nodes.bulkProblems.isEmpty)
        #expect(await reader.readPixels == 0 && cluster.nodes.traffic.sent.attempts == 0)
        #expect(try await reader.checksums() == checksums)
    }

    @Test("two nodes whose copies differ are named, and so is one that has another file")
    func differentCopies() async throws {
        let image = try files.field()
        let reader = try ImageReader(image: image)
        let window = reader.contents(of: PixelRect(x: 0..<50, y: 10..<60))
        let reference = try #require(reader.reference(to: window))
        let path = try names(of: image).image.path
        let disagreement = BulkProblem.disagreement(reference, nodes: ["a", "b"])
        #expect(disagreement.discredits(reader))
        #expect(disagreement.words.hasPrefix("nodes a and b read different pixels of \(path), rows 10 to 59: "))
        let unread = BulkProblem.unread(origin: reference.origin, node: "c")
        #expect(!unread.discredits(reader) && unread.words.hasPrefix("node c did not read \(path) itself: "))
        let other = try ImageReader(image: try files.image("other.fits", width: 9, height: 7) { _, _ in 1 })
        #expect(!disagreement.discredits(other))
    }

    @Test("a scan by reference is the scan by pixels, and only files below the node's folders are read")
    func scan() async throws {
        let image = try files.field()
        let elsewhere = try SkyFile()
        let expected = try await sources(of: image, resolver: nil)
        #expect(expected.sources.count > 20)
        for resolver in [resolver, WindowResolver(try DataFolders([elsewhere.folder]))] {
            let found = try await sources(of: image, resolver: resolver)
            #expect(found.sources.differences(to: expected.sources).isEmpty)
            #expect(found.missing.isEmpty)
        }
    }

    private func sources(of image: String, resolver: WindowResolver?) async throws -> SkyScanResult {
        let cluster = try await LoopbackCluster(nodes: 2, resolver: resolver)
        defer { cluster.close() }
        let scan = try SkyScan(
            reader: try ImageReader(image: image), parameters: ScanParameters(), bandRows: 64,
            coordinator: cluster.coordinator, job: 1)
        return try await scan.run()
    }
}
