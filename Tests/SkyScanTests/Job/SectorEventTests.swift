import ScanCluster
import SkyFITS
import SkyScan
import Testing

@Suite("sectors of the tasks of a step", .timeLimit(.minutes(10))) struct SectorEventTests {
    let bench: JournalBench

    init() throws { bench = try JournalBench() }

    /// The events of a scan, in order.
    private func events(_ journal: ScanJournal?) async throws -> [SkyScanEvent] {
        let events = Locked<[SkyScanEvent]>([])
        _ = try await bench.scan(journal) { event in events.withLock { $0.append(event) } }
        return events.withLock { $0 }
    }

    private let bands = (0..<9).map { PixelRect(x: 0..<300, y: $0 * 64..<min(520, $0 * 64 + 64)) }

    @Test("each step tells its sectors before its tasks begin, and every task has one")
    func all() async throws {
        var waiting: [ScanStep: [PixelRect]] = [:]
        for event in try await events(nil) {
            switch event {
            case .sectors(let step, let sectors, let resumed):
                waiting[step] = sectors
                #expect(resumed.isEmpty)
            case .job(let step, .taskStarted(let index, _, _, _)):
                #expect(waiting[step]?.indices.contains(index) == true)
            default: break
            }
        }
        // The second pass begins with the bands that were read last.
        for step in [ScanStep.background, .extraction] {
            #expect(waiting[step]?.count == bands.count && Set(waiting[step] ?? []) == Set(bands))
        }
        // Bright sources bleed across bands.
        let cut = try #require(waiting[.cutIslands])
        #expect(!cut.isEmpty && cut.allSatisfy { PixelRect(x: 0..<300, y: 0..<520).contains($0) })
    }

    @Test("the places of all sources are told, in this run and from the journal, before cleaning takes some away")
    func found() async throws {
        for isResumed in [false, true] {
            if isResumed { _ = try await bench.scanInPart(try await bench.open(bench.record()), count: 12) }
            let journal = isResumed ? try await bench.open(bench.record()) : nil
            let places = Locked<Set<[Double]>>([])
            let result = try await bench.scan(journal) { event in
                guard case .found(_, let x, let y) = event else { return }
                places.withLock { places in for (x, y) in zip(x, y) { places.insert([x, y]) } }
            }
            let sources = Set(zip(result.sources.x, result.sources.y).map { [$0, $1] })
            #expect(!sources.isEmpty && places.withLock { sources.isSubset(of: $0) })
            #expect(places.withLock { $0.count } == result.sources.count + result.removed)
        }
    }

    @Test("work of an earlier process is distinguished, and tasks are named by their place among the others")
    func resumed() async throws {
        let done = try await bench.scanInPart(try await bench.open(bench.record()), count: 4)
        var waiting: [PixelRect] = []
        for event in try await events(try await bench.open(bench.record())) {
            if case .sectors(.background, let sectors, let resumed) = event {
                waiting = sectors
                #expect(resumed.count == done && Set(sectors + resumed) == Set(bands))
            }
            if case .job(.background, .taskStarted(let index, _, _, _)) = event {
                #expect(waiting.indices.contains(index))
            }
        }
        #expect(!waiting.isEmpty)
    }
}
