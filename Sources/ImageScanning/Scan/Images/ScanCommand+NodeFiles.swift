import CommandLineKit
package import Console
import Foundation
import ScanBasics
import ScanCluster
import ScanFarm
import ScanNetwork
import SkyScan

/// Images that lie on nodes: `NODE:/PATH`.
extension ScanCommand {
    /// `files`, with the files of nodes in place of the names and patterns that stand for them.
    /// - Throws: ``CommandError`` or ``ImageError`` that names the node and the cause.
    package func expanded(_ files: [InputList.File]) async throws -> [InputList.File] {
        guard files.contains(where: { $0.node != nil }) else { return files }
        if options.detection.mask != nil || options.detection.weight != nil || options.detectionMap?.weight != nil {
            throw UsageError("--mask and --weight name files of this machine: omit them for images that lie on nodes")
        }
        let outputs = options.outputs + options.checkImages.map(\.name)
        if let file = files.first(where: \.hasOpenFolder), outputs.contains(where: { $0.contains("{dir}") }) {
            throw UsageError(
                "\(file.name): with a pattern of folders {dir} would be what the node says; name the folders, or omit {dir}"
            )
        }
        let display = ProgressDisplay(options.common, options.log)
        defer { display.finish() }
        let events = ScanEvents(display: display)
        let farm = try ScanNode.started(options.cluster, events: events)
        defer { farm.disconnect() }
        let named = files.compactMap(\.node)
        if named.contains(where: ShellPattern.isPattern) { try await farm.gather(options.cluster, events) }
        let files = try await farm.located(files, options.cluster)
        events.choice.report(await farm.connections.states)
        try events.choice.check()
        let mayRepeat = Set(named).count > 1 || named.contains(where: ShellPattern.isPattern)
        var merge = NodeFileMerge()
        for file in files {
            if file.node == nil {
                merge.add(file)
            } else {
                merge.add(try await farm.lists(for: file, identified: mayRepeat), for: file)
            }
        }
        return merge.files
    }
}

extension ScanNode {
    /// Returns the files that each node named by the argument lists for it. If a pattern names several nodes, those without
    /// such a file are left out.
    /// - Throws: ``ImageError`` that names the node and the cause; `CommandError` if there is no node.
    fileprivate func lists(
        for file: InputList.File, identified: Bool
    ) async throws -> [(node: String, files: [NodeFiles.Found])] {
        guard let pattern = file.node, ShellPattern.isPattern(pattern) else {
            let node = file.node ?? ""
            let files = NodeFiles(of: node, among: systems)
            if identified { return [(node, try await files.files(matching: file.path))] }
            return [(node, try await files.paths(matching: file.path).map { NodeFiles.Found(path: $0) })]
        }
        let names = systems.snapshot.filter { !$0.isLocal && ShellPattern.matches($0.name, pattern) }.map(\.name)
        if names.isEmpty {
            throw CommandError(.input, "\(file.name): no node of such a name was found; `skyfarm nodes` lists them")
        }
        var lists: [(node: String, files: [NodeFiles.Found])] = []
        var failures: [(node: String, error: any Error)] = []
        await withTaskGroup(of: (String, Result<[NodeFiles.Found], any Error>).self) { group in
            for name in names {
                group.addTask { [systems] in
                    do {
                        return (
                            name, .success(try await NodeFiles(of: name, among: systems).files(matching: file.path))
                        )
                    } catch {
                        return (name, .failure(error))
                    }
                }
            }
            for await (node, result) in group {
                switch result {
                case .success(let files): lists.append((node, files))
                case .failure(let error): failures.append((node, error))
                }
            }
        }
        try Task.checkCancellation()
        // One that has left may have had files, and they would be missing unnoticed.
        let present = Set(systems.snapshot.map(\.name))
        if let lost = failures.first(where: { !present.contains($0.node) }) { throw lost.error }
        if lists.isEmpty, let first = failures.min(by: { $0.node < $1.node }) { throw first.error }
        return lists
    }
}

extension ScanNode {
    /// Time in which the nodes that are running are discovered, so that the beginning of a name can be judged.
    private static let search = 1.0

    /// Returns the files with the whole name of each node in place of the word that selects it. Waits until the nodes
    /// have joined.
    /// - Throws: ``CommandError`` if a node does not join, or if a word could mean several nodes.
    fileprivate func located(_ files: [InputList.File], _ cluster: ClusterOptions) async throws -> [InputList.File] {
        let words = Set(files.compactMap(\.node)).map(NodeWord.init).filter { !$0.isPattern }
        if words.isEmpty { return files }
        let name = { @Sendable (system: SystemSnapshot) in NodeWord.plainName(of: system.name) }
        if membership.isOff {
            _ = await connections.settled()
        } else {
            let seconds = min(Self.search, cluster.waitSeconds)
            await systems.wait(within: .seconds(seconds)) { systems in
                words.allSatisfy { word in systems.contains { !$0.isLocal && name($0) == word.text } }
            }
            await systems.wait(within: .seconds(cluster.waitSeconds - seconds)) { systems in
                let nodes = systems.filter { !$0.isLocal }
                return words.allSatisfy { !$0.choice(among: nodes, name: name).isNone }
            }
        }
        try Task.checkCancellation()
        let nodes = systems.snapshot.filter { !$0.isLocal }
        var names: [String: String] = [:]
        for word in words.sorted(by: { $0.text < $1.text }) {
            if word.choice(among: nodes, name: name).isNone { throw await missing(word.text) }
            names[word.text] = try word.node(among: nodes, name: name, label: \.name).name
        }
        return files.map { file in
            var file = file
            file.node = file.node.map { names[$0] ?? $0 }
            return file
        }
    }

    /// Waits until the nodes on which `files` lie have joined.
    /// - Throws: ``CommandError`` if one does not.
    package func find(_ files: [InputList.File], _ cluster: ClusterOptions) async throws {
        // One of the nodes that have a file suffices.
        let needed = Set(files.map(\.nodes).filter { !$0.isEmpty })
        if needed.isEmpty { return }
        let missing = { @Sendable (systems: [SystemSnapshot]) in
            let names = Set(systems.filter { !$0.isLocal }.map(\.name))
            return needed.filter { names.isDisjoint(with: $0) }.map { $0[0] }.sorted()
        }
        if membership.isOff {
            _ = await connections.settled()
        } else {
            await systems.wait(within: .seconds(cluster.waitSeconds)) { missing($0).isEmpty }
        }
        try Task.checkCancellation()
        if let first = missing(systems.snapshot).first { throw await self.missing(first) }
    }

    /// Returns the error about a node that has not joined.
    private func missing(_ name: String) async -> CommandError {
        let others = systems.snapshot.filter { !$0.isLocal }.map(\.name).sorted()
        let troubles = await connections.states.filter { !$0.isSecond }.compactMap { state in
            state.trouble.map { "node \(state.label): \($0)" }
        }
        let found = others.isEmpty ? "no node was found" : "the nodes are \(others.joined(separator: ", "))"
        return CommandError(
            .input,
            "node \(name): no such node: \(([found] + troubles).joined(separator: "; ")); `skyfarm nodes` lists them")
    }
}

extension InputList.File {
    /// Whether a node chooses the folders of the files that it stands for.
    fileprivate var hasOpenFolder: Bool {
        node != nil && ShellPattern.isPattern((path as NSString).deletingLastPathComponent)
    }
}
