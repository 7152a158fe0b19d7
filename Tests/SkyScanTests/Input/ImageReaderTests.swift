import Foundation
import ScanCluster
import SkyImage
import Testing

@testable import SkyScan

@Suite("reader of images")
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
        await #expect(throws: CancellationError.self) { try await cancelled { try await reader.read(window) } }
        await #expect(throws: CancellationError.self) { try await cancelled { try await reader.checksum() } }
    }

    @Test("takes the checksum of the stored bytes without opening the image a second time")
    func checksumOfBytes() async throws {
        let path = try files.field()
        let reader = try ImageReader(image: path)
        let before = try await reader.checksum()
        #expect(try await reader.checksum() == before)
        // As long as it was, but no FITS file any more.
        let length = try Data(contentsOf: URL(fileURLWithPath: path)).count
        let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        try handle.write(contentsOf: Data(repeating: 1, count: length))
        try handle.close()
        #expect(try await reader.checksum() != before)
        try FileManager.default.removeItem(atPath: path)
        let error = await #expect(throws: ImageError.self) { try await reader.checksum() }
        #expect(error?.code == .unreadable)
    }
}
