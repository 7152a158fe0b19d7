import Foundation
import SkyExtraction
import Testing

import SkyScan

@Suite("a journal of many images", .timeLimit(.minutes(10))) struct FilesJournalTests {
    private let bench: JournalBench
    private let catalogue: String

    init() throws {
        bench = try JournalBench(width: 64, height: 64)
        catalogue = bench.folder + "/sky.csv"
    }

    private func open(_ files: [String], forgets: Bool = false) async throws -> FilesJournal {
        var record = JobRecord(
            identity: try JobIdentity(
                files: files, settings: ["outputs": "o"], parameters: ScanParameters(), software: "test 1"),
            words: files, folder: bench.folder, began: 0)
        record.files = files.count
        return try await FilesJournal.open(
            record, in: bench.journals, forgets: forgets, notice: { _ in })
    }

    private func entry(isComplete: Bool = true) throws -> JournalledFile {
        JournalledFile(
            name: bench.image, inputs: [try #require(FileStamp(bench.image))],
            catalogues: [.init(written: catalogue)], isComplete: isComplete, report: [1])
    }

    @Test("knows after a crash which catalogues it was writing, and may replace those only")
    func crash() async throws {
        do {
            let journal = try await open([bench.image, "other"])
            try await journal.write(
                JournalledFile(name: bench.image, inputs: [], catalogues: [.init(path: catalogue)]))
        }
        let journal = try await open([bench.image, "other"])
        let known = try #require(try await journal.file(bench.image))
        #expect(!known.isDone && known.replaceable == [catalogue])
        #expect(try bench.journals.entries().map(\.files) == [0])
    }

    @Test("takes a file as done until the file or its catalogue changes")
    func done() async throws {
        try Data("1,2".utf8).write(to: URL(filePath: catalogue))
        do {
            let journal = try await open([bench.image, "other"])
            try await journal.write(try entry())
            try await journal.finish(.init(state: .partial, isComplete: false, sources: 7))
        }
        let listed = try #require(try bench.journals.entries().first)
        #expect(listed.files == 1 && listed.record?.state == .partial && listed.record?.sources == 7)
        let known = try #require(try await open([bench.image, "other"]).file(bench.image))
        #expect(known.isDone && known.replaceable == [catalogue])
        try bench.writeImage(width: 64, height: 64, seed: 9)
        #expect(!known.isDone && known.replaceable == [catalogue])
        try Data("mine".utf8).write(to: URL(filePath: catalogue))
        #expect(known.replaceable.isEmpty)
        #expect(try !entry(isComplete: false).isDone)
        #expect(try await open([bench.image, "other"], forgets: true).files() == [])
    }

    /// Scans an image of the file with the journal of its tasks, as a run of its own; then the file ends, if one is given.
    private func scan(
        _ image: String, _ bench: JournalBench, then file: JournalledFile? = nil
    ) async throws -> SkyScanResult {
        let journal = try await open([bench.image, "other"])
        let result = try await bench.scan(try tasks(journal, of: image, bench))
        if let file { try await journal.finish(file) }
        return result
    }

    private func tasks(_ journal: FilesJournal, of image: String, _ bench: JournalBench) throws -> ScanJournal {
        try journal.tasks(of: image, in: bench.image, inputs: [try #require(FileStamp(bench.image))])
    }

    @Test("keeps the results of an image's tasks until its file is complete, for the same pixels only")
    func tasks() async throws {
        let bench = try JournalBench()
        let whole = try await bench.scan(nil)
        let first = "sky.fits[1]"
        let finished = try await bench.scanInPart(
            try tasks(try await open([bench.image, "other"]), of: first, bench), count: 9)
        #expect(finished >= 9)
        // Another image of the file has tasks with the same windows.
        #expect(try await scan("sky.fits[2]", bench).tally.resumed == 0)
        let resumed = try await scan(first, bench, then: try entry(isComplete: false))
        #expect(resumed.tally.resumed >= finished && resumed.tally.resumed + resumed.tally.tasks == whole.tally.tasks)
        #expect(try resumed.bytes == whole.bytes)
        #expect(try await scan(first, bench).tally.tasks == 0)

        var file = try entry()
        file.name = bench.image
        #expect(try await scan(first, bench, then: file).tally.tasks == 0)
        let again = try await scan(first, bench)
        #expect(again.tally.resumed == 0)
        try bench.writeImage(seed: 8)
        #expect(try await scan(first, bench).tally.resumed == 0)
    }

    @Test("keeps why a file failed, also after others of the job are done, and the outputs that earlier runs wrote")
    func failed() async throws {
        try Data("1,2".utf8).write(to: URL(filePath: catalogue))
        do {
            let journal = try await open([bench.image, "other"])
            try await journal.finish(try entry())
            try await journal.fail("other", report: [2])
            try await journal.finish(.init(state: .finished, isComplete: false, sources: 7))
        }
        let listed = try #require(try bench.journals.entries().first)
        #expect(listed.record?.state == .finished && listed.files == 1)
        #expect(listed.failed.map(\.name) == ["other"] && listed.failed.map(\.report) == [[2]])
        // A file that was done before is known by its catalogue still.
        do { try await open([bench.image, "other"]).fail(bench.image, report: [3]) }
        let known = try #require(try await open([bench.image, "other"]).file(bench.image))
        #expect(!known.isDone && known.replaceable == [catalogue] && known.report == [3])
    }

    @Test("may replace what a failed file has written, and nothing that takes the place of what it has not")
    func failedBeforeWriting() async throws {
        try Data("1,2".utf8).write(to: URL(filePath: catalogue))
        let other = bench.folder + "/other.csv"
        let journal = try await open([bench.image, "other"])
        try await journal.write(
            JournalledFile(name: bench.image, inputs: [], catalogues: [.init(path: catalogue), .init(path: other)]))
        try await journal.fail(bench.image, report: [1])
        try Data("mine".utf8).write(to: URL(filePath: other))
        let known = try #require(try await journal.file(bench.image))
        #expect(!known.isDone && known.replaceable == [catalogue])
        try Data("mine".utf8).write(to: URL(filePath: catalogue))
        #expect(known.replaceable.isEmpty)
    }

    @Test("syncs the records of several files as that of one")
    func durable() throws {
        let file = try JournalFile(path: bench.folder + "/several.journal", new: try bench.record())
        try file.write([try entry()])
        // 2 is FULL: each commit is synced.
        #expect(try file.database.number("PRAGMA synchronous") == 2)
        #expect(try file.files().map(\.name) == [bench.image])
    }

    @Test("of one image has the layout of that of many, and its failed rerun leaves it finished")
    func sole() async throws {
        func open() async throws -> FilesJournal { try await bench.openJob(try bench.record()) }
        try Data("1,2".utf8).write(to: URL(filePath: catalogue))
        do {
            let journal = try await open()
            #expect(!journal.isFinished)
            try await journal.fail(bench.image, report: [1])
            try await journal.finish(.init(state: .failed, isComplete: false, sources: 0))
        }
        #expect(try bench.journals.entries().map(\.record?.state) == [.failed])
        #expect(try bench.journals.entries().map(\.record?.tasks) == [1])
        #expect(try bench.journals.entries().first?.failed.map(\.report) == [[1]])
        do {
            let journal = try await open()
            try await journal.finish(try entry())
            try await journal.finish(.init(state: .finished, isComplete: true, sources: 7, tasksDone: 9, tasks: 9))
        }
        do {
            let journal = try await open()
            #expect(journal.isFinished)
            try await journal.fail(bench.image, report: [2])
            try await journal.finish(.init(state: .failed, isComplete: false, sources: 0))
        }
        let last = try #require(try bench.journals.entries().first)
        #expect(last.record?.state == .finished && last.record?.tasksDone == 9 && last.failed.isEmpty)
        #expect(last.files == 1 && last.record?.files == 1)
    }

    @Test("belongs to its files in their order")
    func order() async throws {
        let first = try await open(["a", "b"]).id
        #expect(try await open(["b", "a"]).id != first)
        #expect(try await open(["a", "b"]).id == first)
    }
}
