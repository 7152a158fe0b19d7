import CStopwatch
import Foundation
import ScanCluster
import ScanSecurity
import SkyCatalogue
import SkyExtraction
import SkyScan

/// Whole scans, from opening the image to the catalogue on disk: one slot, two slots, nodes, and other programs.
struct ScanSuite {
    private let options: BenchmarkOptions
    private let image: URL
    private let folder: URL

    init(_ options: BenchmarkOptions) throws {
        self.options = options
        (image, folder) = try BenchmarkImage.prepare(size: options.size)
    }

    func run() async throws -> Report {
        let nodes = try [ChildProcess(.skyNode), ChildProcess(.skyNode)]
        var times: [String: Sample] = [:]
        var processor: [String: Sample] = [:]
        var breakdown = ScanBreakdown()
        var sources: [String: Int] = [:]
        func time(_ name: String, _ run: () async throws -> (seconds: Double, sources: Int)) async throws {
            let before = Usage.processorTime
            let result = try await run()
            times[name, default: Sample()].add(result.seconds)
            processor[name, default: Sample()].add(Usage.processorTime - before)
            sources[name] = result.sources
        }
        var variants: [(name: String, run: () async throws -> (seconds: Double, sources: Int))] = [
            ("one local slot", { try await scan(localSlots: 1, breakdown: &breakdown) }),
            ("two local slots", { try await scan(localSlots: 2) }),
            ("one node of one slot", { try await scan(nodes: [nodes[0]]) }),
            ("two nodes of one slot", { try await scan(nodes: nodes) }),
        ]
        if options.peers {
            variants.insert(("source-extractor", { try Peers(image, folder).sourceExtractor() }), at: 0)
            variants.append(("python3-sep, whole image", { try Peers(image, folder).wholeImageSEP() }))
        }
        for round in 0..<options.runs {
            // Every other round in reverse order, and close comparisons adjacent: the machine's speed changes within seconds.
            for variant in round % 2 == 0 ? variants : variants.reversed() { try await time(variant.name, variant.run) }
        }
        return report(times, processor, breakdown, sources)
    }

    /// Scans the image; the nodes are connected before the clock starts.
    func scan(
        localSlots: Int = 0, nodes: [ChildProcess] = [], sessions: SessionMaker = .tls
    ) async throws -> (seconds: Double, sources: Int) {
        var unused = ScanBreakdown()
        return try await scan(localSlots: localSlots, nodes: nodes, sessions: sessions, breakdown: &unused)
    }

    private func scan(
        localSlots: Int = 0, nodes: [ChildProcess] = [], sessions: SessionMaker = .tls,
        breakdown: inout ScanBreakdown
    ) async throws -> (seconds: Double, sources: Int) {
        let cluster = try await BenchmarkCluster(localSlots: localSlots, nodes: nodes, sessions: sessions)
        defer { cluster.close() }
        let catalogue = folder.appending(path: "skyfarm.fits")
        // Truncating the pages of an old file takes as long as writing a new one.
        try? FileManager.default.removeItem(at: catalogue)
        let output = try CatalogueOutput(path: catalogue.path)
        stopwatch_reset()
        let clock = StepClock()
        let start = ContinuousClock.now
        let reader = try ImageReader(image: image.path, slots: localSlots)
        async let checksums = reader.checksums(patience: .seconds(1))
        let parameters = ScanParameters()
        let scan = try SkyScan(
            reader: reader, parameters: parameters, coordinator: cluster.coordinator, job: .random(in: .min ... .max),
            observer: { event in if case .began(.cleaning, _, _) = event { clock.begin() } })
        let result = try await scan.run()
        let scanned = ContinuousClock.now
        let table = result.table(
            image: reader.summary, parameters: parameters, checksums: try await checksums, software: "benchmark")
        try output.write(table)
        let end = ContinuousClock.now
        guard result.missing.isEmpty else { throw BenchmarkError("sectors are missing from the benchmark's scan") }
        breakdown.add(
            total: (end - start).seconds, library: stopwatch_read(), tally: result.tally,
            last: (clock.started.map { scanned - $0 } ?? .zero).seconds, write: (end - scanned).seconds)
        return ((end - start).seconds, result.sources.count)
    }

    private func report(
        _ times: [String: Sample], _ processor: [String: Sample], _ breakdown: ScanBreakdown,
        _ sources: [String: Int]
    ) -> Report {
        var report = Report(.scan)
        report.notes.append("\(options.size) x \(options.size) pixels, \(options.runs) runs, alternating")
        let names = [
            "one local slot", "two local slots", "one node of one slot", "two nodes of one slot",
            "python3-sep, whole image", "source-extractor",
        ].filter { times[$0] != nil }
        report.notes.append(
            names.compactMap { name in sources[name].map { "\(name): \($0) sources" } }.joined(separator: "; "))
        for name in names { report.add(name, "s", times[name] ?? Sample()) }
        func ratio(_ name: String, _ upper: String, _ lower: String) {
            if let upper = times[upper], let lower = times[lower] { report.add(name, "x", upper / lower) }
        }
        ratio("python3-sep / one slot", "python3-sep, whole image", "one local slot")
        ratio("source-extractor / one slot", "source-extractor", "one local slot")
        ratio("one slot / two slots", "one local slot", "two local slots")
        ratio("one node / one slot", "one node of one slot", "one local slot")
        ratio("one node / two nodes", "one node of one slot", "two nodes of one slot")
        // Without nodes, whose CPU time is not measured by this process.
        let own = ["one local slot", "two local slots", "python3-sep, whole image", "source-extractor"]
        for name in own { if let used = processor[name] { report.add("\(name), processor", "s", used) } }
        if let slot = processor[own[0]] {
            for peer in own[2...] {
                if let used = processor[peer] { report.add("\(peer) / one slot, processor", "x", used / slot) }
            }
        }
        breakdown.add(to: &report)
        return report
    }
}

/// The time at which cleaning began.
private final class StepClock: Sendable {
    private let time = Locked<ContinuousClock.Instant?>(nil)

    var started: ContinuousClock.Instant? { time.withLock { $0 } }

    func begin() { time.withLock { $0 = ContinuousClock.now } }
}

extension Duration {
    /// The duration in seconds.
    var seconds: Double { self / .seconds(1) }
}
