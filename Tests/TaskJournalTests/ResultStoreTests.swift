import Foundation
import ScanBasics
import Testing

import TaskJournal

/// A folder that is removed with the object.
private final class Folder {
    let path = NSTemporaryDirectory() + "task-journal-\(UUID().uuidString)"

    init() throws { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func bytes(_ name: String) -> Data { FileManager.default.contents(atPath: "\(path)/\(name)") ?? Data() }

    func write(_ bytes: Data, _ name: String) throws { try bytes.write(to: URL(fileURLWithPath: "\(path)/\(name)")) }
}

@Suite("Results on disk") struct ResultStoreTests {
    // Small pages, so that a record is few bytes.
    private static let form = ResultStore.Form(
        application: 0x534b_5958, version: 1, pageSize: 512, texts: (foreign: "foreign", otherVersion: "other version"),
        remedies: .library)

    private static func open(_ path: String, isUnsynced: Bool = false) throws -> ResultStore {
        try ResultStore(path: path, form: form, isUnsynced: isUnsynced, new: { () throws(JournalError) in "{}" })
    }

    private static func key(_ number: Int) -> ResultKey {
        ResultKey(kind: "test", basis: UInt64(number), part: .max - UInt64(number))
    }

    private static func results(_ generator: inout SplitMix64, _ count: Int) -> [[UInt8]] {
        (0..<count).map { _ in
            (0..<Int.random(in: 0...700, using: &generator)).map { _ in UInt8.random(in: 0...255, using: &generator) }
        }
    }

    /// A file of one result per commit as it was when its process was killed.
    private struct Killed {
        let outputs: [[UInt8]]
        /// Length of the log after each commit; the first is that of the empty journal.
        var lengths: [Int] = []
        var database = Data()
        var log = Data()

        init(_ outputs: [[UInt8]], in folder: Folder) throws {
            self.outputs = outputs
            let store = try ResultStoreTests.open(folder.path + "/killed")
            lengths.append(folder.bytes("killed-wal").count)
            for (number, output) in outputs.enumerated() {
                try store.insert([(ResultStoreTests.key(number), output)], record: nil)
                lengths.append(folder.bytes("killed-wal").count)
            }
            // While the store is open, since closing it empties the log.
            (database, log) = withExtendedLifetime(store) { (folder.bytes("killed"), folder.bytes("killed-wal")) }
        }

        /// Opens the file with this log; returns the number of results, which are the first ones.
        func results(withLog log: Data, in folder: Folder) throws -> Int {
            for ending in ["", "-wal", "-shm"] {
                try? FileManager.default.removeItem(atPath: folder.path + "/torn" + ending)
            }
            try folder.write(database, "torn")
            try folder.write(log, "torn-wal")
            // Without waits for the disk: it is opened some thousand times.
            let store = try ResultStoreTests.open(folder.path + "/torn", isUnsynced: true)
            let count = try store.keys().count
            for number in 0..<count {
                guard try store.output(of: ResultStoreTests.key(number)) == outputs[number] else { return -1 }
            }
            try store.insert([(ResultStoreTests.key(count), [1, 2])], record: nil)
            return try store.output(of: ResultStoreTests.key(count)) == [1, 2] ? count : -2
        }
    }

    @Test("a torn record is dropped, wherever it is torn; those before it are there, and others can be added")
    func torn() throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        print("results on disk: seed \(seed)")
        var generator = SplitMix64(seed: seed)
        let folder = try Folder()
        let killed = try Killed(Self.results(&generator, 8), in: folder)
        let last = try #require(killed.lengths.dropLast().last)
        #expect(killed.lengths.last == killed.log.count && last < killed.log.count)
        // Each byte of the last record, and some of those before.
        let cuts = Array(stride(from: 0, to: last, by: 97)) + Array(last...killed.log.count)
        for cut in cuts {
            let count = try killed.results(withLog: killed.log.prefix(cut), in: folder)
            #expect(
                count == max(0, killed.lengths.count { $0 <= cut } - 1), "cut after \(cut) of \(killed.log.count) bytes"
            )
        }
    }

    @Test("a record with a wrong byte is dropped, with those after it")
    func wrong() throws {
        let folder = try Folder()
        var generator = SplitMix64(seed: 7)
        let killed = try Killed(Self.results(&generator, 6), in: folder)
        for place in stride(from: killed.lengths[0], to: killed.log.count, by: 61) {
            var log = killed.log
            log[place] ^= 0x40
            let count = try killed.results(withLog: log, in: folder)
            // A byte of SQLite's pages that it does not use changes nothing but the checksum of its frame.
            #expect(count == max(0, killed.lengths.count { $0 <= place } - 1), "byte \(place)")
        }
    }

    @Test("the file of another application or version is refused and left as it is")
    func others() throws {
        let folder = try Folder()
        let path = folder.path + "/other"
        do {
            let database = try SQLiteDatabase(path: path, creates: true)
            try database.execute("PRAGMA application_id = 5; CREATE TABLE mine (number INTEGER)")
        }
        let before = folder.bytes("other")
        #expect(throws: JournalError(.damaged, "\(path): foreign")) { try Self.open(path) }
        #expect(folder.bytes("other") == before)
        try folder.write(Data("a text that a user has kept\n".utf8), "text")
        let error = #expect(throws: JournalError.self) { try Self.open(folder.path + "/text") }
        #expect(error?.message.contains("give another journal, or remove the file") == true)
        #expect(folder.bytes("text") == Data("a text that a user has kept\n".utf8))
        do { _ = try Self.open(folder.path + "/old") }
        try SQLiteDatabase(path: folder.path + "/old", creates: false).execute("PRAGMA user_version = 9")
        #expect(throws: JournalError(.damaged, "\(folder.path)/old: other version")) {
            try Self.open(folder.path + "/old")
        }
    }

    @Test("the record is that of the first opening until another one is written")
    func record() throws {
        let folder = try Folder()
        do {
            let store = try Self.open(folder.path + "/record")
            #expect(try store.record() == "{}")
            try store.insert([], record: "{\"a\":1}")
        }
        #expect(try Self.open(folder.path + "/record").record() == "{\"a\":1}")
    }
}

@Suite("A group of commits", .timeLimit(.minutes(10))) struct GroupCommitTests {
    struct Full: Error {}

    @Test("has each entry once, in order; what is added while one is written is written together")
    func order() async throws {
        let executor = BlockingExecutor(label: "test")
        let groups = Locked<[[Int]]>([])
        let group = GroupCommit<Int>(on: executor, isHeld: true) { entries in groups.withLock { $0.append(entries) } }
        for number in 0..<100 { try await group.add(number) }
        #expect(groups.withLock(\.self) == [])
        group.release()
        try await group.flush()
        #expect(groups.withLock(\.self) == [Array(0..<100)])
        for number in 100..<1000 { try await group.add(number) }
        try await group.flush()
        #expect(groups.withLock { $0.flatMap(\.self) } == Array(0..<1000))
    }

    @Test("throws the error of a commit from then on")
    func failure() async throws {
        let group = GroupCommit<Int>(on: BlockingExecutor(label: "test")) { _ in throw Full() }
        try await group.add(1)
        await #expect(throws: Full.self) { try await group.flush() }
        await #expect(throws: Full.self) { try await group.add(2) }
    }
}
