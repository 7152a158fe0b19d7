import Foundation
import ScanCluster
import ScanNetwork
import TaskJournal
import Testing

import SkyScan

@Suite("a scan that goes on from its journal", .timeLimit(.minutes(10))) struct ResumeTests {
    @Test("gives the same table and repeats no task that counted", arguments: [1, 4, 9, 12, 18, 20])
    func resumes(count: Int) async throws {
        let bench = try JournalBench()
        let whole = try await bench.scan(nil)
        let finished = try await bench.scanInPart(try await bench.open(try bench.record()), count: count)
        #expect(finished >= min(count, whole.tally.tasks))

        let notices = Locked<[String]>([])
        let resumed = try await bench.scan(try await bench.open(try bench.record(), notices: notices))
        #expect(resumed.tally.resumed >= finished)
        #expect(resumed.tally.resumed + resumed.tally.tasks == whole.tally.tasks)
        #expect(try resumed.bytes == whole.bytes)
        #expect(notices.withLock { $0 } == [])
    }

    @Test("covers every step: all of a scan whose catalogue was not written is there")
    func everyStep() async throws {
        let bench = try JournalBench()
        let first = try await bench.scan(try await bench.open(try bench.record()))
        for step in [ScanStep.background, .extraction, .cutIslands, .photometry] {
            #expect(first.tally.steps[step] != nil, "the image must exercise \(step)")
        }
        let again = try await bench.scan(try await bench.open(try bench.record()))
        #expect(again.tally.tasks == 0 && again.tally.resumed == first.tally.tasks)
        #expect(try again.bytes == first.bytes)
    }

    @Test("begins anew after the catalogue was written, and with the option to forget")
    func beginsAnew() async throws {
        let bench = try JournalBench()
        let journal = try await bench.openJob(try bench.record())
        let first = try await bench.scan(journal.sole)
        try await journal.finish(.init(first))
        #expect(try bench.journals.entries().map(\.record?.state) == [.finished])
        #expect(try bench.journals.entries().map(\.record?.sources) == [first.sources.count])
        let second = try await bench.scan(try await bench.open(try bench.record()))
        #expect(second.tally.resumed == 0)
        let third = try await bench.scan(try await bench.open(try bench.record(), forgets: true))
        #expect(third.tally.resumed == 0)
    }

    @Test("of a finished job leaves it finished when the rerun fails, and goes on from the results of the rerun")
    func failedRerun() async throws {
        let bench = try JournalBench()
        let journal = try await bench.openJob(try bench.record())
        let first = try await bench.scan(journal.sole)
        try await journal.finish(.init(first))
        let finished = try #require(try bench.journals.entries().first?.record)
        #expect(finished.tasksDone == first.tally.tasks && finished.tasks == first.tally.tasks)
        for forgets in [false, true] {
            let rerun = try await bench.open(try bench.record(), forgets: forgets)
            let count = try await bench.scanInPart(rerun, count: 3)
            let entry = try #require(try bench.journals.entries().first)
            #expect(entry.record?.state == .finished && entry.record?.sources == first.sources.count)
            #expect(entry.tasks.values.reduce(0, +) >= count)
        }
        let last = try await bench.scan(try await bench.open(try bench.record()))
        #expect(last.tally.resumed >= 3)
        #expect(try last.bytes == first.bytes)
    }

    @Test("begins anew and says so when the image has other pixels")
    func otherPixels() async throws {
        let bench = try JournalBench()
        _ = try await bench.scan(try await bench.open(try bench.record()))
        try bench.writeImage(seed: 8)
        let notices = Locked<[String]>([])
        let result = try await bench.scan(try await bench.open(try bench.record(), notices: notices))
        #expect(result.tally.resumed == 0)
        #expect(try result.bytes == (try await bench.scan(nil)).bytes)
        #expect(notices.withLock { $0.count } == 1)
        #expect(notices.withLock { $0.first?.contains("the image has changed; starting afresh") } == true)
    }

    @Test("says which parameter makes it another job, and leaves the first one alone")
    func otherParameter() async throws {
        let bench = try JournalBench()
        _ = try await bench.scanInPart(try await bench.open(try bench.record()), count: 2)
        let notices = Locked<[String]>([])
        try await bench.open(try bench.record(threshold: 3, software: "test 2"), notices: notices).prepared()
        let line = notices.withLock { $0.first } ?? ""
        #expect(line.contains("threshold was 1.5, is 3, version was test 1, is test 2"))
        #expect(try bench.journals.entries().count == 2)
    }

    @Test("does a task again whose result was altered, whichever byte it is")
    func alteredResult() async throws {
        let bench = try JournalBench()
        let whole = try await bench.scan(try await bench.open(try bench.record()))
        let database = try SQLiteDatabase(path: try bench.journalPath, creates: false)
        // Another result with a checksum that fits: it decodes, or it does not, and cannot be that band's.
        try database.execute(
            """
            UPDATE result SET output = zeroblob(length(output)) WHERE step = 'background' AND window = 2;
            UPDATE result SET output = substr(output, 1, length(output) - 1) WHERE step = 'extraction' AND window = 1;
            UPDATE result SET (checksum, output) =
                (SELECT checksum, output FROM result WHERE step = 'background' AND window = 0)
                WHERE step = 'background' AND window = 1;
            """)
        let notices = Locked<[String]>([])
        let result = try await bench.scan(try await bench.open(try bench.record(), notices: notices))
        #expect(result.tally.tasks == 3 && result.tally.resumed == whole.tally.tasks - 3)
        #expect(try result.bytes == whole.bytes)
        #expect(notices.withLock { $0.count } == 3)
    }

    @Test("does again what a node did that computes differently")
    func differentNode() async throws {
        let bench = try JournalBench()
        let node = NodeInfo(
            identity: SystemID(high: 1, low: 2), name: "local", slots: 2, queueLimit: 1, taskTypes: [],
            frameLimit: 1 << 20)
        let finished = Locked(0)
        let first = try await bench.scan(
            try await bench.open(try bench.record()), differentNodes: ["local": node, "idle": node]
        ) { event in
            if case .job(_, .taskFinished) = event { finished.withLock { $0 += 1 } }
        }
        // Only nodes that did a task count, and their tasks are reported like others.
        #expect(Array(first.differentNodes.keys) == ["local"])
        #expect(finished.withLock { $0 } == first.tally.tasks)
        let again = try await bench.scan(try await bench.open(try bench.record()))
        #expect(again.tally.resumed == 0 && again.tally.tasks == first.tally.tasks)
        #expect(again.differentNodes.isEmpty)
    }

    @Test("does not use results of a run in which a band's background was missing")
    func otherBackground() async throws {
        let bench = try JournalBench()
        let whole = try await bench.scan(try await bench.open(try bench.record()))
        let database = try SQLiteDatabase(path: try bench.journalPath, creates: false)
        try database.execute("UPDATE result SET basis = basis + 1 WHERE step <> 'background'")
        let result = try await bench.scan(try await bench.open(try bench.record()))
        #expect(result.tally.resumed == whole.tally.steps[.background]?.tasks)
        #expect(try result.bytes == whole.bytes)
    }
}
