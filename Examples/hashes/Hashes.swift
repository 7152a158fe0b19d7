import Foundation
import SkyfarmKit

/// Hashes a file, which travels beside the task as bulk bytes.
struct FileHash: ScanTask {
    static let typeName = "example.hashes/1"
    /// Name, size and time: a file that was changed since is another task for the journal.
    struct ID: Codable, Hashable, Sendable {
        var path: String
        var size: Int
        var modified: Double
    }
    var id: ID
    var cost: Double { Double(id.size + 4096) }

    func scan(_ context: ScanContext) throws -> String {
        // No bytes travel with an empty file.
        if id.size == 0 { return SHA256.hexadecimal(of: UnsafeRawBufferPointer(start: nil, count: 0)) }
        return try context.requireBulk().withUnsafeBytes { SHA256.hexadecimal(of: $0) }
    }
}

@main struct Hashes {
    static func main() async {
        let arguments = Array(CommandLine.arguments.dropFirst())
        do {
            switch (arguments.first, arguments.count) {
            case ("node", 1...2): try await serve(listen: arguments.count > 1 ? arguments[1] : ":0")
            case ("sum", 3...): try await sum(arguments[1], arguments[2], nodes: Array(arguments.dropFirst(3)))
            default: print("usage: hashes node [ADDR:PORT]\n       hashes sum FOLDER JOURNAL [HOST:PORT]…")
            }
        } catch {
            say("hashes: \(error)")
            exit(1)
        }
    }

    static func say(_ line: String) { FileHandle.standardError.write(Data("\(line)\n".utf8)) }

    static func serve(listen: String) async throws {
        let keys = try KeyStore.user().ring()
        let node = ScanNode(
            keys: keys, slots: 2, serving: TaskTypes(FileHash.self), listen: listen,
            page: LivePage { say("page at \($0)") })
        try await node.run { say("ready \($0)") }
    }

    static func sum(_ folder: String, _ journal: String, nodes: [String]) async throws {
        let tasks = try files(below: folder)
        try await withFarm(running: FileHash.self, nodes: nodes, localSlots: 1, journal: URL(filePath: journal)) {
            farm in
            var hashes: [String: String] = [:]
            for try await response in farm.responses(to: tasks, bulk: { source(of: $0.id, in: folder) }) {
                hashes[response.id.path] = try response.get()
                say("\(hashes.count) of \(tasks.count)")
            }
            for (path, hash) in hashes.sorted(by: { $0.key < $1.key }) { print("\(hash)  \(path)") }
        }
    }

    static func files(below folder: String) throws -> [FileHash] {
        let names = FileManager.default.enumerator(atPath: folder)
        var tasks: [FileHash] = []
        while let name = names?.nextObject() as? String {
            guard let facts = names?.fileAttributes, facts[.type] as? FileAttributeType == .typeRegular else {
                continue
            }
            let modified = (facts[.modificationDate] as? Date)?.timeIntervalSince1970 ?? 0
            tasks.append(FileHash(id: .init(path: name, size: facts[.size] as? Int ?? 0, modified: modified)))
        }
        return tasks
    }

    /// Read when the task is sent: only files that are in flight are in memory.
    static func source(of id: FileHash.ID, in folder: String) -> BulkSource? {
        if id.size == 0 { return nil }
        return BulkSource(byteCount: id.size) {
            let file = try Data(contentsOf: URL(filePath: folder + "/" + id.path), options: .alwaysMapped)
            guard file.count == id.size else { throw CocoaError(.fileReadCorruptFile) }
            return BulkBytes(byteCount: file.count) { _ = file.copyBytes(to: $0) }
        }
    }
}
