import SkyfarmKit

/// Of the same name as `Doubling`.
private struct Namesake: ScanTask {
    static let typeName = Doubling.typeName
    var id: Int
    func scan(_ context: ScanContext) -> Int { id }
}

private struct Unnamed: ScanTask {
    static let typeName = ""
    var id: Int
    func scan(_ context: ScanContext) -> Int { id }
}

private struct LongName: ScanTask {
    static let typeName = String(repeating: "long", count: 100)
    var id: Int
    func scan(_ context: ScanContext) -> Int { id }
}

private struct TwoLines: ScanTask {
    static let typeName = "two\nlines"
    var id: Int
    func scan(_ context: ScanContext) -> Int { id }
}

/// Cannot be coded.
private struct Uncodable: ScanTask {
    static let typeName = "misuse.uncodable/1"
    var id: Int
    init(id: Int) { self.id = id }
    init(from decoder: any Decoder) throws { throw OddError() }
    func encode(to encoder: any Encoder) throws { throw OddError(description: "cannot be\ncoded") }
    func scan(_ context: ScanContext) -> Int { id }
}

/// Can be coded, but not decoded.
private struct Undecodable: ScanTask {
    static let typeName = "misuse.undecodable/1"
    var id: Int
    init(id: Int) { self.id = id }
    init(from decoder: any Decoder) throws { throw OddError(description: "cannot be decoded") }
    func encode(to encoder: any Encoder) throws { var values = encoder.singleValueContainer(); try values.encode(id) }
    func scan(_ context: ScanContext) -> Int { id }
}

/// A list in itself, as deep as it is long.
private indirect enum Nested: Codable, Sendable {
    case end
    case more(Nested)

    static func of(depth: Int) -> Nested { (0..<depth).reduce(.end) { list, _ in .more(list) } }
}

private struct DeepTask: ScanTask {
    static let typeName = "misuse.deep/1"
    var id: Int
    fileprivate var list: Nested
    func scan(_ context: ScanContext) -> Int { id }
}

private struct DeepOutput: ScanTask {
    static let typeName = "misuse.deep-output/1"
    struct Output: Codable, Sendable { fileprivate var list: Nested }
    var id: Int
    func scan(_ context: ScanContext) -> Output { Output(list: .of(depth: 1000)) }
}

extension MisuseProbe {
    /// Types of task that are registered or coded in a wrong way.
    static let types: [String: Misuse] = [
        "one type registered twice": { try await served(TaskTypes(Doubling.self, Doubling.self)) },
        "two types of one name": { try await served(TaskTypes(Doubling.self, Namesake.self)) },
        "type without a name": { try await served(TaskTypes(Unnamed.self)) },
        "type with a name of 400 bytes": { try await served(TaskTypes(LongName.self)) },
        "type with a name of two lines": { try await served(TaskTypes(TwoLines.self)) },
        "node of no types": { try await served(TaskTypes()) },
        "farm of one type twice": {
            try await asked {
                try await Farm(
                    running: Doubling.self, Doubling.self, nodes: $0, keys: $1, localSlots: 0,
                    options: .init(waitForSystems: .milliseconds(50)))
            }
        },
        "farm of two types of one name": {
            try await asked {
                try await Farm(running: Doubling.self, Namesake.self, nodes: $0, keys: $1, localSlots: 0)
            }
        },
        "farm of a type without a name": {
            try await asked { try await Farm(running: Unnamed.self, nodes: $0, keys: $1, localSlots: 0) }
        },
        "farm of a type with a name of 400 bytes": {
            try await asked { try await Farm(running: LongName.self, nodes: $0, keys: $1, localSlots: 0) }
        },
        "farm of a type that no node has": {
            try await asked { try await Farm(running: Work.self, nodes: $0, keys: $1, localSlots: 0) }
        },
        "task that no node has": {
            try await asked {
                try await Farm(nodes: $0, keys: $1, localSlots: 0, options: .init(waitForSystems: .milliseconds(50)))
            }
        },
        "task that cannot be coded": { try await remotely([Uncodable(id: 1)]) },
        "task that cannot be decoded": { try await remotely([Undecodable(id: 1)]) },
        "task nested too deeply": { try await remotely([DeepTask(id: 1, list: .of(depth: 1000))]) },
        "output nested too deeply": { try await remotely([DeepOutput(id: 1)]) },
    ]

    private static func served(_ types: TaskTypes) async throws -> String {
        let node = try alpha(serving: types)
        try node.start()
        await node.close()
        return "started"
    }

    /// A farm on a node that knows only `Doubling` runs another task.
    private static func asked(_ make: ([String], KeyRing) async throws -> Farm) async throws -> String {
        let keys = try keys()
        let node = try alpha(keys: keys)
        let address = try node.start().map { "\($0)" }
        let farm = try await make([address ?? ""], keys)
        return try await outcome(of: farm.responses(to: [Work(id: 1)]))
    }
}
