internal import Foundation
internal import ScanBasics
public import ScanCluster
internal import ScanNetwork

/// Which nodes have copies of files of this machine, below the folders that their owners allow (`skyfarm node --data`).
///
/// Each node is asked once, after it has joined. A copy has the size and the time of change of the file; whether it has
/// its header, too, a node finds out when it reads it.
public final class FileCopies: Sendable {
    private struct State {
        var asked: Set<SystemID> = []
        /// Names of nodes that have answered.
        var known: Set<String> = []
        /// Names of the nodes that have a file, by its path.
        var holders: [String: Set<String>] = [:]
        /// Nil until there is a node to ask: many files take a while.
        var files: Files?
    }

    /// The files for which nodes are asked, as they were found.
    private struct Files {
        var stamps: [NodeFileRequest.Stamp] = []
        /// The absolute paths of the files, by the names that were given.
        var paths: [String: String] = [:]

        init(_ names: [String]) {
            for name in names where paths[name] == nil {
                guard let stamp = NodeFileRequest.Stamp(of: name) else { continue }
                paths[name] = stamp.path
                stamps.append(stamp)
            }
        }
    }

    /// Which nodes have a file, and which have none, by their names. Others have not answered.
    public struct Nodes: Sendable {
        package var with: [String] = []
        package var without: [String] = []

        /// Nothing is known of any node.
        public init() {}
    }

    private let systems: Systems
    private let names: [String]
    /// Names of the nodes on which files lie that are not on this machine, by the path.
    private let placed: [String: Set<String>]
    private let state = Locked(State())

    /// Bytes of the files that are asked for in one request, whose length has a limit.
    private static let batchBytes = 48 << 10

    /// The copies of the files of these names on nodes among `systems`. Files that do not exist are left out.
    /// - Parameters:
    ///   - names: the names of the files.
    ///   - systems: where the nodes are.
    ///   - placed: the names of the nodes on which files lie that are not on this machine, by the path.
    public init(
        of names: some Sequence<String>, among systems: Systems, placed: [String: Set<String>] = [:]
    ) {
        (self.systems, self.names, self.placed) = (systems, Array(names), placed)
    }

    /// Asks the nodes that have joined since the last call.
    /// - Parameter patience: how long to wait for their answers, which are used also if they come later.
    public func learn(within patience: Duration) async {
        let asking = ask()
        if asking.isEmpty || patience <= .zero { return }
        // No task group: it would wait for answers that come late.
        let (end, continuation) = AsyncStream<Void>.makeStream()
        Task {
            for task in asking { await task.value }
            continuation.finish()
        }
        let timer = Task {
            try? await Task.sleep(for: patience)
            continuation.finish()
        }
        for await _ in end {}
        timer.cancel()
    }

    /// Asks the nodes that have joined since the last call, and returns at once.
    @discardableResult
    private func ask() -> [Task<Void, Never>] {
        if names.isEmpty { return [] }
        let others = systems.snapshot.filter { !$0.isLocal }
        let (new, stamps) = state.withLock { state in
            let new = others.filter { state.asked.insert($0.id).inserted }
            if !new.isEmpty, state.files == nil { state.files = Files(names) }
            return (new, state.files?.stamps ?? [])
        }
        return new.map { system in
            Task {
                let files = NodeFiles(of: system.name, among: systems)
                for batch in Self.batches(of: stamps) {
                    guard let found = try? await files.copies(of: batch) else { return }
                    state.withLock { state in
                        for index in found where batch.indices.contains(index) {
                            state.holders[batch[index].path, default: []].insert(system.name)
                        }
                    }
                }
                state.withLock { _ = $0.known.insert(system.name) }
            }
        }
    }

    /// The nodes that have the file of this name, as far as is known. Nodes that have joined are asked.
    public func nodes(of name: String) -> Nodes {
        ask()
        return state.withLock { state in
            var nodes = Nodes()
            guard let path = state.files?.paths[name] else { return nodes }
            let holders = state.holders[path] ?? []
            (nodes.with, nodes.without) = (holders.sorted(), state.known.subtracting(holders).sorted())
            return nodes
        }
    }

    /// Whether a node that has no copy of the file need not be mentioned, since others have one.
    func excuses(_ node: String, from path: String) -> Bool {
        if let nodes = placed[path] { return !nodes.contains(node) }
        return state.withLock { state in
            guard let holders = state.holders[path], !holders.isEmpty else { return false }
            return !holders.contains(node) && state.known.contains(node)
        }
    }

    private static func batches(of stamps: [NodeFileRequest.Stamp]) -> [[NodeFileRequest.Stamp]] {
        var (batches, size) = ([[NodeFileRequest.Stamp]](), batchBytes)
        for stamp in stamps {
            // The path, two numbers and what precedes them.
            let bytes = stamp.path.utf8.count + 40
            if size + bytes > batchBytes {
                batches.append([])
                size = 0
            }
            batches[batches.count - 1].append(stamp)
            size += bytes
        }
        return batches
    }
}

extension NodeFileRequest.Stamp {
    /// The file as it is now; nil if there is none.
    init?(of name: String) {
        guard let path = realPath(name), let status = FileStatus(path: path), status.kind == .regular else {
            return nil
        }
        self.init(path: path, size: status.size, modified: status.modified)
    }
}
