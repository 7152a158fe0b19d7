import Foundation
import ScanCluster
import SkyFITS
import SkyTestSupport
import Testing

@testable import SkyScan

@Suite("reader of images", .timeLimit(.minutes(10)))
struct ImageReaderTests {
    private let files: SkyFile

    init() throws { files = try SkyFile() }

    private func cancelled<Result: Sendable>(
        _ body: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        try await Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await body()
        }.value
    }

    @Test("reads nothing for a cancelled task")
    func cancellation() async throws {
        let reader = try ImageReader(image: files.field())
        let window = reader.contents(of: PixelRect(x: 0..<100, y: 0..<10))
        #expect(try await reader.read(window).count == 4000)
        await #expect(throws: CancellationError.self) {
            try await cancelled { try await reader.read(window) }
        }
        await #expect(throws: CancellationError.self) { try await cancelled { try await reader.checksums() } }
    }

    @Test("checksums wait for the pixels of a pass, and no longer", .timeLimit(.minutes(10)))
    func patience() async throws {
        let path = try files.field()
        let reader = try ImageReader(image: path)
        let window = reader.contents(of: PixelRect(x: 0..<100, y: 0..<10))
        let patient = Task { try await reader.checksums(patience: .seconds(3600)) }
        _ = try await reader.read(window, at: PassPosition(isFirstPass: true, following: [], rest: 1))
        let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        try handle.write(contentsOf: Data("changed before the pass has ended".utf8))
        try handle.close()
        _ = try await reader.read(window)
        // Had they not waited, they would be those of the file before.
        await #expect(throws: ImageError.self) { try await patient.value }
        // Who does not wait for pixels any more does not wait at all.
        let cancelled = Task { try await reader.checksums(patience: .seconds(3600)) }
        cancelled.cancel()
        await #expect(throws: CancellationError.self) { try await cancelled.value }
    }

    @Test("the checksum is that of the file that was opened, whatever is put in its place")
    func replaced() async throws {
        let path = try files.field()
        let opened = try FITSImage(path).stored.opened()
        let before = try opened.checksum {}
        try FileManager.default.removeItem(atPath: path)
        #expect(mkfifo(path, 0o600) == 0)
        #expect(try opened.checksum {} == before)
    }

    @Test("for slots the last bands of a pass are kept for the next one, each for one reader")
    func keeps() async throws {
        let path = try files.field()
        let last = PassPosition(isFirstPass: true, following: [], rest: 0)
        let first = PassPosition(isFirstPass: false, following: [], rest: 9)
        let reader = try ImageReader(image: path, slots: 1)
        let window = reader.contents(of: PixelRect(x: 0..<100, y: 0..<10))
        let kept = try await reader.read(window, at: last)
        #expect(try await reader.read(window, at: first) === kept)
        #expect(try await reader.read(window, at: first) !== kept)
        let early = PassPosition(isFirstPass: true, following: [], rest: 1 << 30)
        let dropped = try await reader.read(window, at: early)
        #expect(try await reader.read(window, at: first) !== dropped)
        let remote = try ImageReader(image: path)
        let read = try await remote.read(window, at: last)
        #expect(try await remote.read(window, at: first) !== read)
    }

    @Test("windows are read ahead, and handed out once", arguments: [0, 1, 2, 8])
    func readsAhead(slots: Int) async throws {
        let reader = try ImageReader(image: files.field(), slots: slots)
        let windows = (0..<4).map { reader.contents(of: PixelRect(x: 0..<100, y: 10 * $0..<10 * $0 + 10)) }
        let position = PassPosition(isFirstPass: true, following: Array(windows[1...2]), rest: 1 << 30)
        _ = try await reader.read(windows[0], at: position)
        // On the reader's thread in order: what is read ahead was read when this is.
        for _ in 0..<4 { _ = try await reader.read(rows: 0..<1) }
        let ahead = slots < 4 ? 1 : 2
        #expect(await reader.windowsAhead == Array(windows[1...ahead]))
        _ = try await reader.read(windows[1], at: PassPosition(isFirstPass: true, following: [], rest: 1 << 30))
        #expect(await reader.windowsAhead == Array(windows[1...ahead].dropFirst()))
        // Beyond the passes no band is requested.
        _ = try await reader.read(windows[3])
        #expect(await reader.windowsAhead.isEmpty)
    }

    @Test("for two slots two windows are read ahead where pixels have to be decompressed")
    func readsCompressedAhead() async throws {
        let path = files.path("tiles.fits")
        _ = try CompressedFile.all[1].write(to: path)
        let reader = try ImageReader(image: path, slots: 2)
        let windows = (0..<3).map {
            reader.contents(of: PixelRect(x: 0..<CompressedFile.width, y: 10 * $0..<10 * $0 + 10))
        }
        let position = PassPosition(isFirstPass: true, following: Array(windows[1...2]), rest: 1 << 30)
        _ = try await reader.read(windows[0], at: position)
        for _ in 0..<4 { _ = try await reader.read(rows: 0..<1) }
        #expect(await reader.windowsAhead == Array(windows[1...2]))
    }

    @Test("a slot gets a whole image as it is stored, also read ahead, and reads other windows itself")
    func packsForSlots() async throws {
        let path = files.path("tiles.fits")
        _ = try CompressedFile.all[1].write(to: path)
        let integers = try files.integers("integers.fits", width: 190, height: 170) { x, y in Int16(100 * y + x) }
        // Stored floats are longer than the pixels, by their header.
        for path in [path, integers, try files.field()] {
            let reader = try ImageReader(image: path, slots: 2)
            let size = reader.summary
            let whole = reader.contents(of: PixelRect(x: 0..<size.width, y: 0..<size.height))
            let part = reader.contents(of: PixelRect(x: 0..<size.width, y: 0..<10))
            let pixels = try await reader.read(whole).withUnsafeBytes { [UInt8]($0) }
            let read = try await [reader.read(part, packing: .local), reader.read(part, packing: .deferred)]
            for bytes in read {
                #expect(bytes.count == 0 && bytes.unpackedCount == part.byteCount)
                let own = try #require(try bytes.read?())
                #expect(own.withUnsafeBytes { pixels.starts(with: $0) } && own.count == part.byteCount)
            }
            #expect(await reader.readPixels == size.area + 2 * part.rect.area)
            await reader.readAhead([whole], unpacksOnSlots: true)
            #expect(await reader.windowsAhead == [whole])
            let packed = try await reader.read(whole, packing: .local)
            #expect(await reader.windowsAhead == [] && packed.unpackedCount == whole.byteCount)
            let unpacked = try WindowUnpacker().unpack(packed, to: whole.byteCount)
            #expect(unpacked.withUnsafeBytes { [UInt8]($0) } == pixels)
            // Whoever does not unpack gets pixels.
            await reader.readAhead([whole], unpacksOnSlots: true)
            #expect(try await reader.read(whole).unpackedCount == nil)
            // In a pass over bands, the same pixels are needed again.
            let position = PassPosition(isFirstPass: true, following: [], rest: 0)
            let first = try await reader.read(whole, at: position, packing: .local)
            let kept = try #require(try first.read?())
            #expect(kept.withUnsafeBytes { [UInt8]($0) } == pixels)
            let last = PassPosition(isFirstPass: false, following: [], rest: 0)
            let second = try #require(try await reader.read(whole, at: last, packing: .deferred).read?())
            // What had to be converted stays in memory.
            #expect((second === kept) == (reader.summary.bitpix != -32 || path.hasSuffix("tiles.fits")))
            #expect(second.withUnsafeBytes { [UInt8]($0) } == pixels)
        }
    }

    @Test("the slot that scans an image as one task passes its pixels on, as a reader of rows would get them")
    func passesPixels() async throws {
        let path = files.path("tiles.fits")
        _ = try CompressedFile.all[1].write(to: path)
        for path in [path, try files.field()] {
            let reader = try ImageReader(image: path, slots: 1)
            let size = reader.summary
            let (whole, part) = (
                PixelRect(x: 0..<size.width, y: 0..<size.height), PixelRect(x: 0..<size.width, y: 0..<9)
            )
            let passed = Locked<[[Float]]>([])
            reader.passPixels { pixels in passed.withLock { $0.append(Array(pixels)) } }
            let rows = try await reader.read(rows: 0..<size.height)
            _ = try await reader.read(reader.contents(of: part), packing: .deferred).read?()
            #expect(passed.withLock(\.self).isEmpty)
            _ = try await reader.read(reader.contents(of: whole), packing: .deferred).read?()
            let packed = try await reader.read(reader.contents(of: whole), packing: .local)
            if let count = packed.unpackedCount {
                packed.unpacked?(try WindowUnpacker().unpack(packed, to: count))
            }
            #expect(passed.withLock(\.self) == [rows, rows])
        }
    }

    @Test("takes the checksum of the stored bytes without opening the image a second time")
    func checksumOfBytes() async throws {
        let path = try files.field()
        let reader = try ImageReader(image: path)
        let before = try await reader.checksums()
        #expect(try await reader.checksums() == before)
        // A pipe in its place does not matter: the file stays open.
        let moved = files.path("moved.fits")
        try FileManager.default.moveItem(atPath: path, toPath: moved)
        #expect(mkfifo(path, 0o600) == 0)
        #expect(try await reader.checksums() == before)
        // Of unchanged length, but no longer a FITS file.
        let length = try Data(contentsOf: URL(fileURLWithPath: moved)).count
        let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: moved))
        try handle.write(contentsOf: Data(repeating: 1, count: length))
        try handle.close()
        await #expect(throws: ImageError.self) { try await reader.checksums() }
    }

    @Test("reads samples, weights and mask of a window, row by row")
    func maps() async throws {
        let image = try files.image(width: 9, height: 7) { x, y in Float(10 * y + x) }
        let mask = try files.image("mask.fits", width: 9, height: 7) { x, y in x == y ? -2 : 0 }
        let weights = try files.image("weights.fits", width: 9, height: 7) { x, y in Float(x * y) }
        let reader = try ImageReader(image: image, mask: mask, weights: weights)
        #expect(reader.summary.mask != nil && reader.summary.weights != nil)
        let window = reader.contents(of: PixelRect(x: 2..<5, y: 3..<5))
        let bulk = try await reader.read(window)
        #expect(bulk.count == 6 * 9 && window.byteCount == bulk.count)
        try window.withView(of: bulk) { view in
            #expect(view.rect == window.rect && view.stride == 3)
            #expect((0..<6).map { view.pixels[$0] } == [32, 33, 34, 42, 43, 44])
            #expect((0..<6).map { view.weights?[$0] } == [6, 9, 12, 8, 12, 16])
            #expect((0..<6).map { view.mask?[$0] } == [0, 1, 0, 0, 0, 1])
        }
    }

    @Test("refuses a map of another size, and names both")
    func otherSize() throws {
        let image = try files.image(width: 9, height: 7) { _, _ in 1 }
        let other = try files.image("other.fits", width: 7, height: 9) { _, _ in 1 }
        for error in [
            #expect(throws: ScanSetupError.self) { _ = try ImageReader(image: image, mask: other) },
            #expect(throws: ScanSetupError.self) { _ = try ImageReader(image: image, weights: other) },
        ] {
            #expect(error?.description.contains("7 by 9 pixels, the image 9 by 7") == true)
        }
        let missing = #expect(throws: ImageError.self) { _ = try ImageReader(image: files.path("none.fits")) }
        #expect(missing?.code == .missing)
    }
}
