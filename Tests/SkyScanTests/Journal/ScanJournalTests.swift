import Foundation
import ScanCluster
import SkyScan
import TaskJournal
import Testing

@Suite("a journal", .timeLimit(.minutes(10))) struct ScanJournalTests {
    private let checksums = InputChecksums(image: 1, mask: nil, weights: 2)

    private func key(_ window: UInt64) -> TaskKey { TaskKey(step: .extraction, basis: .max, window: window) }

    @Test("gives back what was added, in this process and in the next")
    func roundTrip() async throws {
        let bench = try JournalBench(width: 64, height: 64)
        do {
            let journal = try await bench.open(try bench.record())
            try await journal.begin { checksums }
            for window in 0..<600 as Range<UInt64> { try await journal.add([window], of: key(window)) {} }
            try await journal.flush()
            #expect(journal.count == 600)
        }
        let journal = try await bench.open(try bench.record())
        #expect(journal.count == 600)
        try await journal.begin { checksums }
        #expect(try await journal.output(of: key(3), as: [UInt64].self) { _ in } == [3])
        #expect(try await journal.output(of: key(600), as: [UInt64].self) { _ in } == nil)
    }

    @Test("holds results back until the checksums of the inputs are known, and counts them only when they are durable")
    func holdsBack() async throws {
        let bench = try JournalBench(width: 64, height: 64)
        let journal = try await bench.open(try bench.record())
        let (gate, continuation) = AsyncStream<Void>.makeStream()
        try await journal.begin {
            for await _ in gate {}
            return InputChecksums(image: 5)
        }
        let counted = Locked(0)
        let path = try bench.journalPath
        try await journal.add([1], of: key(1)) {
            // Another connection sees it at the moment it counts.
            let seen = (try? JournalFile(path: path, new: nil))?.keys.count ?? 0
            counted.withLock { $0 = seen }
        }
        #expect(journal.count == 0 && counted.withLock { $0 } == 0)
        continuation.finish()
        try await journal.flush()
        #expect(journal.count == 1 && counted.withLock { $0 } == 1)
    }

    @Test("is locked by a socket where the file system has no locks")
    func socketLock() throws {
        let path = NSTemporaryDirectory() + "skyfarm-\(UUID().uuidString).lock"
        do {
            let lock = try #require(SocketLock(path))
            #expect(SocketLock(path) == nil && SocketLock(path + "2") != nil)
            withExtendedLifetime(lock) {}
        }
        #expect(SocketLock(path) != nil)
    }

    @Test("rethrows the error of the checksums")
    func noChecksums() async throws {
        let bench = try JournalBench(width: 64, height: 64)
        let journal = try await bench.open(try bench.record())
        try await journal.begin { throw JournalError(.unwritable, "gone") }
        await #expect(throws: JournalError(.unwritable, "gone")) {
            try await journal.add([1], of: key(1)) {}
            try await journal.flush()
        }
        await #expect(throws: JournalError.self) { try await journal.add([1], of: key(2)) {} }
    }

    @Test("is used by one process at a time, which is named, and free again after it")
    func locked() async throws {
        let bench = try JournalBench(width: 64, height: 64)
        do {
            let journal = try await bench.open(try bench.record())
            let error = await #expect(throws: JournalError.self) { try await bench.open(try bench.record()) }
            #expect(error?.code == .inUse && error?.message.contains("process \(getpid()) ") == true)
            try await journal.prepared()
            #expect(try bench.journals.entries().map(\.process) == [Int(getpid())])
            #expect(throws: JournalError.self) { try bench.journals.remove(journal.id) }
        }
        #expect(try bench.journals.entries().map(\.process) == [nil])
        _ = try await bench.open(try bench.record())
    }

    @Test(
        "that is no database, is cut short or of another version is set aside in one line",
        arguments: ["text", "cut", "version", "pages", "record"])
    func damaged(fault: String) async throws {
        let bench = try JournalBench(width: 64, height: 64)
        let path = try bench.journalPath
        do {
            let journal = try await bench.open(try bench.record())
            try await journal.begin { checksums }
            for window in 0..<50 as Range<UInt64> {
                try await journal.add([UInt64](repeating: window, count: 400), of: key(window)) {}
            }
            try await journal.flush()
        }
        var data = try Data(contentsOf: URL(filePath: path))
        switch fault {
        case "text": data = Data("this is no database, it is a text of some length".utf8)
        case "cut": data = data.prefix(data.count / 2)
        case "pages": for offset in 4096..<data.count where offset % 4096 < 64 { data[offset] = 0xa5 }
        case "version": try SQLiteDatabase(path: path, creates: false).execute("PRAGMA user_version = 99")
        default: try SQLiteDatabase(path: path, creates: false).execute("UPDATE record SET json = '{'")
        }
        if !["version", "record"].contains(fault) { try data.write(to: URL(filePath: path)) }

        let notices = Locked<[String]>([])
        let journal = try await bench.open(try bench.record(), notices: notices)
        #expect(journal.count == 0)
        #expect(notices.withLock { $0.count } == 1)
        #expect(notices.withLock { $0.first?.contains(path + ".damaged-1") } == true)
        #expect(FileManager.default.fileExists(atPath: path + ".damaged-1"))
        let isOther = notices.withLock { $0.first?.contains("another version of skyfarm has written it; run the") }
        #expect(isOther == (fault == "version"))
        try await journal.begin { checksums }
        try await journal.add([1], of: key(1)) {}
        try await journal.flush()
    }

    @Test("whose process was killed before anything was written is begun again")
    func empty() async throws {
        let bench = try JournalBench(width: 64, height: 64)
        try FileManager.default.createDirectory(atPath: bench.journals.path, withIntermediateDirectories: true)
        #expect(FileManager.default.createFile(atPath: try bench.journalPath, contents: nil))
        let notices = Locked<[String]>([])
        #expect(try await bench.open(try bench.record(), notices: notices).count == 0)
        #expect(notices.withLock { $0 } == [])
    }

    @Test("that has no room says so in words, keeps what was durable, and goes on when there is room")
    func full() async throws {
        let bench = try JournalBench(width: 64, height: 64)
        let path = try bench.journalPath
        try FileManager.default.createDirectory(atPath: bench.journals.path, withIntermediateDirectories: true)
        let file = try SQLiteDatabase(path: path, creates: true, remedies: .command)
        try file.execute("CREATE TABLE part (bytes BLOB); PRAGMA max_page_count = 20;")
        let error = #expect(throws: JournalError.self) {
            try file.transaction { () throws(JournalError) in
                for _ in 0..<30 { try file.execute("INSERT INTO part VALUES (randomblob(4000))") }
            }
        }
        #expect(error?.code == .noSpace)
        #expect(error?.message.contains("free some room and start the same command again") == true)
        // The transaction left nothing behind, and the connection can be used.
        let statement = try file.prepare("SELECT count(*) FROM part")
        #expect(try statement.step() && statement.integer(0) == 0)
    }

    @Test("in a folder that cannot be made is an error that says what to do")
    func unwritable() async throws {
        let bench = try JournalBench(width: 64, height: 64)
        let folder = JournalFolder(path: bench.image + "/state")
        let record = try bench.record()
        let error = await #expect(throws: JournalError.self) {
            try await FilesJournal.open(record, in: folder) { _ in }
        }
        #expect(error?.code == .unwritable && error?.message.contains("--no-journal") == true)
    }

    @Test("is found by the beginning of its ID, if only one has it")
    func prefixes() async throws {
        let bench = try JournalBench(width: 64, height: 64)
        let id = try bench.record().identity.id
        for threshold in [1.5, 9] {
            try await bench.open(try bench.record(threshold: threshold)).prepared()
        }
        #expect(try bench.journals.entry(prefix: id.uppercased()).id == id)
        #expect(throws: JournalError.self) { try bench.journals.entry(prefix: "") }
        #expect(throws: JournalError.self) { try bench.journals.entry(prefix: "xyz") }
        try bench.journals.remove(id)
        #expect(try bench.journals.entries().count == 1)
    }

    @Test("is read alone when it is looked up, without those of other jobs")
    func lookUp() throws {
        let bench = try JournalBench(width: 64, height: 64)
        try bench.journals.create()
        for threshold in [1.5, 9] {
            let record = try bench.record(threshold: threshold)
            _ = try JournalFile(path: bench.journals.journalPath(record.identity.id), new: record)
        }
        let id = try bench.record().identity.id
        // SQLite removes the log of a journal that it has read.
        let log = try bench.journals.journalPath(bench.record(threshold: 9).identity.id) + "-wal"
        try Data([0]).write(to: URL(fileURLWithPath: log))
        #expect(try bench.journals.entry(prefix: id).record?.identity.id == id)
        #expect(FileManager.default.fileExists(atPath: log))
        #expect(try bench.journals.entries().count == 2)
    }

    @Test("of one task makes no file if it was short")
    func oneTask() async throws {
        let bench = try JournalBench(width: 64, height: 64)
        let job = try await bench.openJob(try bench.record(), longestUnkept: .seconds(3600))
        let journal = try #require(job.sole)
        try await journal.begin { checksums }
        let counted = Locked(false)
        try await journal.add([1], of: key(1)) { counted.withLock { $0 = true } }
        // It counts at once, and nothing is written for it.
        #expect(counted.withLock { $0 } && !journal.isKept)
        try await journal.flush()
        #expect(try bench.journals.entries().isEmpty)
        try await job.write(JournalledFile(name: bench.image, inputs: [], catalogues: []))
        try await job.finish(.init(try await bench.scan(nil)))
        #expect(try bench.journals.entries().isEmpty)
    }

    @Test("of one task that takes long is kept, and has a record when it ends")
    func longTask() async throws {
        let bench = try JournalBench(width: 64, height: 64)
        do {
            let job = try await bench.openJob(try bench.record(), longestUnkept: .zero)
            let journal = try #require(job.sole)
            try await journal.begin { checksums }
            try await journal.add([1], of: key(1)) {}
            try await journal.flush()
            #expect(journal.isKept)
        }
        let job = try await bench.openJob(try bench.record(), longestUnkept: .seconds(3600))
        let journal = try #require(job.sole)
        #expect(journal.count == 1)
        try await journal.begin { checksums }
        let result = try await bench.scan(nil)
        try await job.finish(.init(result))
        let record = try #require(try bench.journals.entries().first?.record)
        #expect(record.state == .finished && record.checksums == checksums)
        #expect(record.sources == result.sources.count && record.tasksDone == result.tally.tasks)
    }

    @Test("reports what it cannot remove, rename or list, with the cause")
    func troubles() async throws {
        let bench = try JournalBench(width: 64, height: 64)
        let path = try bench.journalPath
        // A folder in place of the file: it is neither a database nor can it be removed as a file.
        try FileManager.default.createDirectory(atPath: path + "/x", withIntermediateDirectories: true)
        let removal = #expect(throws: JournalError.self) { try bench.journals.remove(bench.record().identity.id) }
        #expect(removal?.message == "\(path): cannot be removed: is a directory")
        let list = #expect(throws: JournalError.self) { try JournalFolder(path: bench.image).entries() }
        #expect(list?.message.hasPrefix("\(bench.image): cannot be read: ") == true)
    }

    @Test("lies where XDG says, or below the home directory")
    func places() throws {
        #expect(try JournalFolder(environment: ["XDG_STATE_HOME": "/s", "HOME": "/h"]).path == "/s/skyfarm")
        #expect(
            try JournalFolder(environment: ["XDG_STATE_HOME": "s", "HOME": "/h"]).path == "/h/.local/state/skyfarm")
        #expect(throws: JournalError.self) { try JournalFolder(environment: [:]) }
    }
}
