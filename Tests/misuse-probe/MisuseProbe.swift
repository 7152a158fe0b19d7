import SkyfarmKit

/// Misuses the library in the way that its argument names, and prints the outcome in one line: `error: ` and the error, or
/// `done: ` and what the library made of it. A trap ends this process, and no other.
@main struct MisuseProbe {
    static let cases = nodes.merging(types) { first, _ in first }.merging(tasks) { first, _ in first }
        .merging(runs) { first, _ in first }.merging(settings) { first, _ in first }

    static func main() async {
        let name = CommandLine.arguments.dropFirst().joined(separator: " ")
        guard let misuse = cases[name] else {
            return print(cases.keys.sorted().joined(separator: "\n"))
        }
        do {
            print("done:", try await misuse())
        } catch {
            print("error:", error)
        }
    }

    typealias Misuse = @Sendable () async throws -> String

    static func keys() throws -> KeyRing { KeyRing(current: try .random()) }

    /// A node that is not announced.
    static func alpha(
        slots: Int = 1, serving types: TaskTypes = TaskTypes(Doubling.self), listen: String = "127.0.0.1:0",
        keys: KeyRing? = nil, options: NodeServer.Options = .init()
    ) throws -> ScanNode {
        ScanNode(
            name: "alpha", keys: try keys ?? self.keys(), slots: slots, serving: types, listen: listen, discovering: [],
            options: options)
    }

    /// Runs tasks on local slots.
    static func locally<Work: ScanTask>(
        _ tasks: [Work], slots: Int = 1, options: ScanCoordinator.Options = .init(),
        bulk: (@Sendable (Work) -> BulkSource?)? = nil
    ) async throws -> String {
        try await withFarm(discovering: [], keys: keys(), localSlots: slots, options: options) { farm in
            try await outcome(of: farm.responses(to: tasks, bulk: bulk))
        }
    }

    /// Runs tasks on a node of this process.
    static func remotely<Work: ScanTask>(
        _ tasks: [Work], options: ScanCoordinator.Options = .init(), remote: RemoteNodes.Options = .init(),
        limits: NodeServer.Options = .init(), bulk: (@Sendable (Work) -> BulkSource?)? = nil
    ) async throws -> String {
        let keys = try keys()
        let node = try alpha(serving: TaskTypes(Work.self), keys: keys, options: limits)
        let address = try node.start()
        let nodes = address.map { ["\($0)"] } ?? []
        let words = try await withFarm(
            running: Work.self, nodes: nodes, keys: keys, localSlots: 0, options: options, remote: remote
        ) { farm in try await outcome(of: farm.responses(to: tasks, bulk: bulk)) }
        await node.close()
        return words
    }

    static func outcome<Work: ScanTask>(of responses: TaskResponses<Work>) async throws -> String {
        var words: [String] = []
        for try await response in responses {
            switch response.result {
            case .success(let output): words.append("\(response.id): \("\(output)".prefix(40))")
            case .failure(let failure): words.append("\(response.id) failed: \(failure)")
            }
        }
        return words.sorted().joined(separator: ", ")
    }
}

/// Doubles a number.
struct Doubling: ScanTask {
    static let typeName = "misuse.doubling/1"
    var id: Int
    var cost: Double = 1
    var requiredTags: Set<String> = []

    func scan(_ context: ScanContext) -> Int { 2 * id }
}

/// Does what a case says. Its code does not travel: on a node it is `body` of the same number.
struct Work: ScanTask {
    static let typeName = "misuse.work/1"
    nonisolated(unsafe) static var body: @Sendable (ScanContext) throws -> [UInt8] = { _ in [] }
    var id = 0
    var input: [UInt8] = []

    func scan(_ context: ScanContext) throws -> [UInt8] { try Self.body(context) }

    init(id: Int = 0, input: [UInt8] = [], _ body: (@Sendable (ScanContext) throws -> [UInt8])? = nil) {
        (self.id, self.input) = (id, input)
        // Set before the run begins, and not changed by the decoded task.
        if let body { Self.body = body }
    }
}

/// An error that cannot be coded.
struct OddError: Error, CustomStringConvertible {
    var closure: @Sendable () -> Void = {}
    var description = "odd"
}
