import Foundation
import ScanCluster
import ScanNetwork
import ScanTestSupport
import SkyExtraction
import TaskJournal
import Testing

import SkyScan

@Suite("bands for the slots at hand", .timeLimit(.minutes(10))) struct BandUseTests {
    /// The share of the time of all slots that the tasks of both passes take, in a simulated cluster.
    private func use(of plan: BandPlan, slots: Int, seed: UInt64) -> Double {
        // Seconds of a slot per pixel; only their ratio matters.
        let passes = [
            (0..<plan.count).map { Double(plan[$0].core.area) * 5e-9 },
            (0..<plan.count).map { Double(plan[$0].window.area) * 15e-9 },
        ]
        var (work, seconds) = (0.0, 0.0)
        for costs in passes {
            let scenario = SimulationScenario(seed: seed, nodes: slots / 4, slots: 4, costs: costs)
            let report = SimulatedCluster(scenario).run()
            #expect(report.violation == nil)
            work += costs.reduce(0, +)
            seconds += report.jobSeconds
        }
        return work / (Double(slots) * seconds)
    }

    @Test("40 slots are used for four fifths of the time on 10240 x 10240 pixels", arguments: 1...5)
    func use(seed: UInt64) throws {
        let plan = try BandPlan(width: 10_240, height: 10_240, parameters: ScanParameters(), slots: 40)
        #expect(use(of: plan, slots: 40, seed: seed) >= 0.8)
        // Bands for four slots are fewer than 40.
        let few = try BandPlan(width: 10_240, height: 10_240, parameters: ScanParameters(), slots: 4)
        #expect(use(of: few, slots: 40, seed: seed) < 0.4)
    }

    @Test("a node that joins during the first pass gets bands of the second, which are cut anew")
    func late() async throws {
        let bench = try JournalBench(width: 2048, height: 2100)
        let systems = Systems(clock: EventLoop.shared)
        func system(_ name: String, slots: Int, _ number: UInt64) -> ScanSystem {
            ScanSystem(local: slots, id: SystemID(high: 0, low: number), name: name, clock: EventLoop.shared)
        }
        let (first, late) = (system("first", slots: 2, 1), system("late", slots: 6, 2))
        systems.join(first)
        let reader = try ImageReader(image: bench.image)
        let waiting = Locked<[ScanStep: Int]>([:])
        let scan = try SkyScan(
            reader: reader, parameters: ScanParameters(), slots: { systems.snapshot.reduce(0) { $0 + $1.slots } },
            coordinator: ScanCoordinator(systems: systems, clock: EventLoop.shared), job: 1
        ) { event in
            switch event {
            case .job(.background, .taskFinished): systems.join(late)
            case .sectors(let step, let sectors, _): waiting.withLock { $0[step] = sectors.count }
            default: break
            }
        }
        let result = try await scan.run()
        await first.close()
        await late.close()
        let counts = waiting.withLock { $0 }
        #expect((counts[.background] ?? 0) >= 2 && (counts[.extraction] ?? 0) > (counts[.background] ?? 0))
        #expect(result.bands == counts[.extraction] && result.missing.isEmpty)
        #expect((result.tally.systems["late"]?.tasks ?? 0) >= 3)
        let alone = try await bench.scan(nil)
        #expect(try result.bytes == alone.bytes)
    }

    @Test("a job goes on with the bands it began with, whatever slots there are then")
    func resumed() async throws {
        let bench = try JournalBench(width: 2048, height: 2100)
        func record() throws -> JobRecord {
            let identity = try JobIdentity(
                reader: try ImageReader(image: bench.image), parameters: ScanParameters(), bandRows: nil,
                software: "test")
            return JobRecord(identity: identity, words: [bench.image], folder: bench.folder, began: 0, tasks: 1)
        }
        let whole = try await bench.scan(nil)
        let first = try await bench.scan(try await bench.open(try record()), slots: 4)
        #expect(first.tally.resumed == 0 && first.bands > 2)
        // All of the second pass, or half of it, is there.
        for isPartial in [false, true] {
            if isPartial {
                let path = bench.journals.journalPath(try record().identity.id)
                try SQLiteDatabase(path: path, creates: false).execute(
                    "DELETE FROM result WHERE step = 'extraction' AND window < 2")
            }
            for slots in [1, 16] {
                let again = try await bench.scan(try await bench.open(try record()), slots: slots)
                #expect(again.bands == first.bands && again.tally.resumed >= first.tally.tasks - 2)
                #expect(try again.bytes == whole.bytes)
            }
        }
        // Nothing of the second pass: the first goes on, and the second is cut for the slots of today.
        try SQLiteDatabase(path: bench.journals.journalPath(try record().identity.id), creates: false).execute(
            "DELETE FROM result WHERE step <> 'background'")
        let more = try await bench.scan(try await bench.open(try record()), slots: 16)
        #expect(more.tally.resumed == first.tally.steps[.background]?.tasks && more.bands > first.bands)
        #expect(try more.bytes == whole.bytes)
    }
}
