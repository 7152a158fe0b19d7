import ScanCluster
import SkyExtraction
import SkyFITS
import Testing

import SkyScan

@Suite("a scan with sectors that cannot be scanned", .timeLimit(.minutes(10)))
struct MissingSectorsTests {
    private let files: SkyFile

    init() throws { files = try SkyFile() }

    private func scan(
        _ change: @escaping @Sendable (_ typeName: String, _ output: any Sendable) -> (any Sendable)?
    ) async throws -> SkyScanResult {
        let transport = FaultyTransport(change: change)
        defer { transport.close() }
        let job = try SkyScan(
            reader: ImageReader(image: files.field()), parameters: ScanParameters(), bandRows: 64,
            coordinator: transport.coordinator(), job: 1)
        return try await job.run()
    }

    @Test("throws when no band has a background, and names the cause")
    func noBackground() async {
        let error = await #expect(throws: SkyScanError.self) {
            try await scan { typeName, output in typeName == MeshTask.typeName ? nil : output }
        }
        #expect(error?.description.contains("out of order") == true)
        #expect(error?.description.contains("\n") == false)
    }

    @Test("goes on when some band has one, and lists the others")
    func someBackground() async throws {
        let whole = try await scan { $1 }
        #expect(whole.missing.isEmpty && whole.sources.count > 10)
        let result = try await scan { _, output in
            guard let statistics = output as? MeshStatistics else { return output }
            return statistics.firstRow == 0 ? nil : statistics
        }
        #expect(result.missing.map(\.step) == [.background])
        #expect(result.missing.map(\.rect) == [PixelRect(x: 0..<100, y: 0..<64)])
        #expect(result.sources.count > whole.sources.count / 2)
    }

    @Test("ends when a node always asks for a larger window for its apertures")
    func endlessApertures() async throws {
        let result = try await scan { _, output in
            if var window = output as? WindowResult, window.batch.count > 0 {
                window.batch.open = OpenApertures()
                window.batch.open.append(index: 0, box: PixelRect(x: 0..<9, y: 0..<9))
                return window
            }
            guard var measured = output as? ApertureResult else { return output }
            measured.open = OpenApertures()
            measured.open.append(index: 0, box: PixelRect(x: 0..<9, y: 0..<9))
            return measured
        }
        #expect(result.missing.isEmpty)
        #expect(result.sources.photometry.flagAuto.contains { $0 & 0x10 != 0 })
        #expect(result.tally.steps[.photometry]?.tasks == CatalogAssembly.roundLimit)
    }

    @Test("lists a source whose window is too large, and asks no system for it")
    func excessiveWindow() async throws {
        let transport = FaultyTransport { $1 }
        defer { transport.close() }
        var job = try SkyScan(
            reader: ImageReader(image: files.field()), parameters: ScanParameters(), bandRows: 64,
            coordinator: transport.coordinator(), job: 1)
        let whole = try await job.run()
        #expect(whole.tally.steps[.cutIslands] != nil && whole.missing.isEmpty)
        job.windowLimit = 1000
        let result = try await job.run()
        #expect(result.tally.steps[.cutIslands] == nil && result.tally.retries == 0)
        #expect(!result.missing.isEmpty && result.missing.allSatisfy { $0.reason.contains("raise --threshold") })
        #expect(result.missing.contains { $0.step == .cutIslands })
        #expect(result.sources.count > 0 && result.sources.count < whole.sources.count)
    }
}
