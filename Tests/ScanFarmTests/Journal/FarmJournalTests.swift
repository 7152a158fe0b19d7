import Foundation
import ScanBasics
import ScanCluster
import ScanFarm
import ScanNetwork
import ScanSecurity
import Testing

import TaskJournal

/// Squares a number, and counts how often it did so for each test.
private struct SquareTask: ScanTask {
    static let typeName = "test.square/1"
    private static let runs = Locked<[String: [Int: Int]]>([:])
    var id: Int
    var test: String
    var value: Int

    init(_ id: Int, _ test: String, value: Int? = nil) { (self.id, self.test, self.value) = (id, test, value ?? id) }

    func scan(_ context: ScanContext) throws -> Int {
        Self.runs.withLock { $0[test, default: [:]][id, default: 0] += 1 }
        if value < 0 { throw ScanError(.invalidResponse, "no number") }
        return value * value
    }

    /// How often each task of a test has run since the last call.
    static func take(_ test: String) -> [Int: Int] { runs.withLock { $0.removeValue(forKey: test) ?? [:] } }
}

private struct OtherTask: ScanTask {
    static let typeName = "test.other/1"
    var id: Int

    func scan(_ context: ScanContext) -> Int { id }
}

/// Looks a number up in the table that all tasks share.
private struct LookupTask: ScanTask {
    static let typeName = "test.lookup/1"
    var id: Int

    func scan(_ context: ScanContext) throws -> Int { try context.shared([Int].self)[id] }
}

@Suite("A farm with a journal", .timeLimit(.minutes(10)))
final class FarmJournalTests {
    let keys: KeyRing
    let folder = NSTemporaryDirectory() + "farm-journal-\(UUID().uuidString)"
    var journal: URL { URL(fileURLWithPath: folder + "/a journal") }

    init() throws {
        keys = KeyRing(current: try .random())
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    private func farm<Result>(_ body: (Farm) async throws -> Result) async throws -> Result {
        try await withFarm(
            running: SquareTask.self, discovering: [], keys: keys, localSlots: 2, journal: journal, body)
    }

    /// Runs tasks and returns the outputs by ID.
    private func outputs(_ tasks: [SquareTask]) async throws -> [Int: Int] {
        try await farm { farm in
            var outputs: [Int: Int] = [:]
            for try await response in farm.responses(to: tasks) {
                #expect(outputs.updateValue(try response.get(), forKey: response.id) == nil)
            }
            return outputs
        }
    }

    private static func squares(_ numbers: Range<Int>) -> [Int: Int] {
        Dictionary(uniqueKeysWithValues: numbers.map { ($0, $0 * $0) })
    }

    private func message(_ body: () async throws -> some Any) async -> String {
        let error = await #expect(throws: ScanError.self) { _ = try await body() }
        #expect(error?.code == .journal)
        return error?.message ?? ""
    }

    @Test("runs each task once, and returns its response in every run")
    func again() async throws {
        let tasks = (0..<500).map { SquareTask($0, "again") }
        #expect(try await outputs(tasks) == Self.squares(0..<500))
        #expect(SquareTask.take("again") == Dictionary(uniqueKeysWithValues: (0..<500).map { ($0, 1) }))
        #expect(try await outputs(tasks) == Self.squares(0..<500))
        #expect(SquareTask.take("again").isEmpty)
        // Further tasks, between recorded ones.
        let more = (0..<4000).map { SquareTask(($0 * 7) % 4000, "again") }
        #expect(try await outputs(more) == Self.squares(0..<4000))
        #expect(SquareTask.take("again") == Dictionary(uniqueKeysWithValues: (500..<4000).map { ($0, 1) }))
    }

    @Test("does not run a task again whose response was returned before the farm was abandoned, at any moment")
    func abandoned() async throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        print("a farm with a journal: seed \(seed)")
        var generator = SplitMix64(seed: seed)
        let count = 300
        var recorded: Set<Int> = []
        for _ in 0..<20 {
            let limit = Int.random(in: 0...count, using: &generator)
            let tasks = (0..<count).shuffled(using: &generator).map { SquareTask($0, "abandoned") }
            let returned = try await farm { farm in
                var returned: Set<Int> = []
                for try await response in farm.responses(to: tasks) {
                    if returned.count >= limit { break }
                    #expect(try response.get() == response.id * response.id)
                    #expect(returned.insert(response.id).inserted)
                }
                return returned
            }
            let runs = SquareTask.take("abandoned")
            #expect(recorded.isDisjoint(with: runs.keys) && !runs.values.contains { $0 > 1 })
            recorded.formUnion(returned)
        }
        #expect(
            try await outputs((0..<count).map { SquareTask($0, "abandoned") }) == Self.squares(0..<count))
        #expect(recorded.isDisjoint(with: SquareTask.take("abandoned").keys))
    }

    @Test("tries failed tasks again in the next run")
    func failures() async throws {
        let tasks = [SquareTask(1, "failures"), SquareTask(2, "failures", value: -1)]
        for run in 0..<2 {
            let failed = try await farm { farm in
                var failed: [Int] = []
                for try await response in farm.responses(to: tasks) {
                    if case .failure = response.result { failed.append(response.id) }
                }
                return failed
            }
            #expect(failed == [2])
            #expect(SquareTask.take("failures") == (run == 0 ? [1: 1, 2: 3] : [2: 3]))
        }
    }

    @Test("runs a task again whose record is damaged")
    func damaged() async throws {
        let tasks = (0..<50).map { SquareTask($0, "damaged") }
        _ = try await outputs(tasks)
        _ = SquareTask.take("damaged")
        try SQLiteDatabase(path: journal.path, creates: false).execute(
            "UPDATE result SET output = x'00' WHERE rowid % 10 = 3")
        #expect(try await outputs(tasks) == Self.squares(0..<50))
        #expect(SquareTask.take("damaged").count == 5)
        #expect(try await outputs(tasks) == Self.squares(0..<50))
        #expect(SquareTask.take("damaged").isEmpty)
    }

    @Test("refuses the journal of other tasks, other types and another program, each by its cause and the remedy")
    func others() async throws {
        _ = try await outputs([SquareTask(1, "others"), SquareTask(2, "others")])
        let values = await message { try await outputs([SquareTask(1, "others"), SquareTask(2, "others", value: 3)]) }
        #expect(
            values
                == "\(journal.path): the journal is that of other tasks: it has a response to 'test.square/1' 2 with "
                + "other values, or with another shared value; give another path, or remove it to start over")
        let types = await message {
            try await withFarm(running: OtherTask.self, discovering: [], keys: keys, localSlots: 1, journal: journal) {
                _ in
            }
        }
        #expect(
            types
                == "\(journal.path): the journal is that of tasks of 'test.square/1', and these are of 'test.other/1'; "
                + "give another path, or remove it to start over")
        do {
            let database = try SQLiteDatabase(path: journal.path, creates: false)
            try database.execute("UPDATE record SET json = replace(json, '\"program\":\"', '\"program\":\"old-')")
        }
        let program = await message { try await outputs([]) }
        #expect(program.contains("the journal is that of the program old-"))
        // Nothing was run, and nothing is lost.
        try FileManager.default.removeItem(at: journal)
        _ = SquareTask.take("others")
    }

    @Test("refuses two tasks with the same ID, which it could not tell apart")
    func sameID() async throws {
        let same = await message {
            try await outputs([SquareTask(4, "same"), SquareTask(5, "same"), SquareTask(4, "same", value: 6)])
        }
        // The first one may have its response before the other is pulled.
        #expect(
            same == "two tasks of 'test.square/1' have the ID 4: a run with a journal needs different IDs"
                || same.contains("it has a response to 'test.square/1' 4 with other values"))
    }

    @Test("says why a file cannot be a journal, and which process has it")
    func unusable() async throws {
        try Data("a text\n".utf8).write(to: journal)
        #expect(await message { try await outputs([]) }.contains("give another journal, or remove the file"))
        try FileManager.default.removeItem(at: journal)
        let url = try #require(URL(string: "https://example.org/journal"))
        let web = await message {
            try await withFarm(running: SquareTask.self, discovering: [], keys: keys, localSlots: 1, journal: url) {
                _ in
            }
        }
        #expect(web == "https://example.org/journal: the journal must be a file, as URL(filePath:)")
        let twice = await message { try await farm { _ in try await self.farm { _ in } } }
        #expect(twice.contains("process \(getpid()) runs this job already"))
        let missing = URL(fileURLWithPath: folder + "/none/journal")
        let absent = await message {
            try await withFarm(running: SquareTask.self, discovering: [], keys: keys, localSlots: 1, journal: missing) {
                _ in
            }
        }
        #expect(absent.contains("no such file or directory; give a journal in a folder that this user may change"))
    }

    @Test("goes on with the same shared value, and refuses another")
    func sharedValue() async throws {
        func sum(_ table: [Int]) async throws -> Int {
            try await withFarm(
                running: LookupTask.self, discovering: [], keys: keys, localSlots: 2, journal: journal
            ) { farm in
                var sum = 0
                let tasks = (0..<4).map { LookupTask(id: $0) }
                for try await response in farm.responses(to: tasks, sharing: try SharedValue(table)) {
                    sum += try response.get()
                }
                return sum
            }
        }
        #expect(try await sum([1, 2, 3, 4]) == 10)
        #expect(try await sum([1, 2, 3, 4]) == 10)
        #expect(await message { try await sum([1, 2, 3, 5]) }.contains("with another shared value"))
    }
}
