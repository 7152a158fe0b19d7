import Foundation
import ScanCluster
import ScanNetwork
import SkyExtraction
import SkyFITS
import SkySynthetic
import Testing

import SkyScan

/// A folder with a small synthetic image and journals, removed with the object.
final class JournalBench: Sendable {
    let folder: String
    let image: String
    let journals: JournalFolder

    init(width: Int = 300, height: Int = 520, seed: UInt64 = 7) throws {
        folder = NSTemporaryDirectory() + "journal-\(UUID().uuidString)"
        image = folder + "/sky.fits"
        journals = JournalFolder(path: folder + "/state/skyfarm")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try writeImage(width: width, height: height, seed: seed)
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    func writeImage(width: Int = 300, height: Int = 520, seed: UInt64) throws {
        var parameters = SyntheticSky.Parameters(width: width, height: height, seed: seed)
        // Bright ones bleed across bands, so that there are cut islands and cut apertures.
        parameters.brightStarDensity = 20
        parameters.bigGalaxyDensity = 10
        let writer = try FITSImageWriter(path: image, width: width, height: height, type: .float32, overwrite: true)
        try SyntheticSky(parameters).forEachStrip { _, samples in
            for start in stride(from: samples.startIndex, to: samples.endIndex, by: width) {
                try writer.write(row: samples[start..<start + width])
            }
        }
        try writer.finish()
    }

    /// The record of a scan of the image in bands of 64 rows.
    func record(threshold: Double = 1.5, software: String = "test 1") throws -> JobRecord {
        var parameters = ScanParameters()
        parameters.threshold = threshold
        let reader = try ImageReader(image: image)
        return JobRecord(
            identity: try JobIdentity(reader: reader, parameters: parameters, bandRows: 64, software: software),
            words: [image], folder: folder, began: 0, tasks: 1)
    }

    /// Opens the journal of a job of one image.
    func openJob(
        _ record: JobRecord, forgets: Bool = false, longestUnkept: Duration? = nil,
        notices: Locked<[String]> = Locked([])
    ) async throws -> FilesJournal {
        let journal = try await FilesJournal.open(
            record, in: journals, forgets: forgets, longestUnkept: longestUnkept
        ) { line in
            notices.withLock { $0.append(line) }
        }
        journal.sole?.prepare()
        return journal
    }

    /// Opens the journal of the tasks of a job of one image.
    func open(
        _ record: JobRecord, forgets: Bool = false, notices: Locked<[String]> = Locked([])
    ) async throws -> ScanJournal {
        try #require(try await openJob(record, forgets: forgets, notices: notices).sole)
    }

    var journalPath: String { get throws { journals.journalPath(try record().identity.id) } }

    /// Scans the image on two local slots, in bands of 64 rows, or in bands for `slots` slots.
    func scan(
        _ journal: ScanJournal?, slots: Int? = nil, differentNodes: [String: NodeInfo] = [:],
        observer: @escaping @Sendable (SkyScanEvent) -> Void = { _ in }
    ) async throws -> SkyScanResult {
        let reader = try ImageReader(image: image)
        let systems = Systems(clock: EventLoop.shared)
        let system = ScanSystem(local: 2, id: SystemID(high: 0, low: 1), name: "local", clock: EventLoop.shared)
        systems.join(system)
        let counter: (@Sendable () -> Int)? = if let slots { { slots } } else { nil }
        let scan = try SkyScan(
            reader: reader, parameters: ScanParameters(), bandRows: slots == nil ? 64 : nil, slots: counter,
            coordinator: ScanCoordinator(systems: systems, clock: EventLoop.shared), job: 1, journal: journal,
            observer: observer, differentNodes: { differentNodes })
        do {
            try await journal?.begin { try await reader.checksums() }
            let result = try await scan.run()
            await system.close()
            return result
        } catch {
            await system.close()
            throw error
        }
    }

    /// Scans until `count` tasks have counted as finished, then cancels.
    /// - Returns: how many counted in the end.
    func scanInPart(_ journal: ScanJournal, count: Int) async throws -> Int {
        let finished = Locked(0)
        let (reached, continuation) = AsyncStream<Void>.makeStream()
        let work = Task {
            _ = try? await scan(journal) { event in
                guard case .job(_, .taskFinished) = event else { return }
                if finished.withLock({
                    $0 += 1; return $0
                }) == count {
                    continuation.finish()
                }
            }
            continuation.finish()
        }
        for await _ in reached {}
        work.cancel()
        await work.value
        return finished.withLock { $0 }
    }
}

extension FilesJournal.End {
    /// The end of a job whose catalogue is written.
    init(_ result: SkyScanResult) {
        let tasks = result.tally.tasks + result.tally.resumed
        self.init(
            state: .finished, isComplete: true, sources: result.sources.count, tasksDone: tasks, tasks: tasks)
    }
}

extension SkyScanResult {
    /// All numbers of the catalogue, to the bit.
    var bytes: [UInt8] { get throws { try WireEncoder().encode(sources) } }
}

extension ScanJournal {
    /// Returns when the file has been made beside the scan.
    func prepared() async throws { try await executor.run {} }
}
