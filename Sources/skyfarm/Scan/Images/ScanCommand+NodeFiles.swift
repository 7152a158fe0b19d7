import CommandLineKit
import ScanCluster
import ScanFarm
import SkyImage
import SkyScan

/// Images that lie on nodes: `NODE:/PATH`.
extension ScanCommand {
    /// `files`, with the files of nodes in place of the names and patterns that stand for them.
    /// - Throws: ``CommandError`` or ``ImageError`` that names the node and the cause.
    func expanded(_ files: [InputList.File]) async throws -> [InputList.File] {
        guard files.contains(where: { $0.node != nil }) else { return files }
        if options.detection.mask != nil || options.detection.weight != nil || options.detectionMap?.weight != nil {
            throw UsageError("--mask and --weight name files of this machine: omit them for images that lie on nodes")
        }
        let display = ProgressDisplay(options.common, options.log)
        defer { display.finish() }
        let events = ScanEvents(display: display)
        let farm = try ScanNode.started(options.cluster, events: events)
        defer { farm.disconnect() }
        try await farm.find(files, options.cluster)
        var all: [InputList.File] = []
        var known: Set<InputList.File> = []
        for file in files {
            guard let node = file.node else {
                if known.insert(file).inserted { all.append(file) }
                continue
            }
            for path in try await NodeFiles(of: node, among: farm.systems).paths(matching: file.path) {
                let found = InputList.File(path: path, selector: file.selector, node: node)
                if known.insert(found).inserted { all.append(found) }
            }
        }
        return all
    }
}

extension ScanNode {
    /// Waits until the nodes on which `files` lie have joined.
    /// - Throws: ``CommandError`` if one does not.
    func find(_ files: [InputList.File], _ cluster: ClusterOptions) async throws {
        let names = Set(files.compactMap(\.node))
        if names.isEmpty { return }
        let missing = { @Sendable (systems: [SystemSnapshot]) in
            names.subtracting(systems.filter { !$0.isLocal }.map(\.name)).sorted()
        }
        if membership.isOff {
            _ = await connections.settled()
        } else {
            await systems.wait(within: .seconds(cluster.waitSeconds)) { missing($0).isEmpty }
        }
        try Task.checkCancellation()
        guard let first = missing(systems.snapshot).first else { return }
        let others = systems.snapshot.filter { !$0.isLocal }.map(\.name).sorted()
        let troubles = await connections.states.compactMap { state in
            state.trouble.map { "node \(state.label): \($0)" }
        }
        let found = others.isEmpty ? "no node was found" : "the nodes are \(others.joined(separator: ", "))"
        throw CommandError(
            .input,
            "node \(first): no such node: \(([found] + troubles).joined(separator: "; ")); `skyfarm nodes` lists them")
    }
}
