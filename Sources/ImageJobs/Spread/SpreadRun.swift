import CommandLineKit
import Console
import ScanCluster
import ScanNetwork

/// Copies files to nodes. Nodes receive files concurrently, and each node receives one file after another.
struct SpreadRun: Sendable {
    private let inputs: [SpreadInput]
    private let nodes: SpreadNodes
    private let options: SpreadCommand.Options
    private let progress: SpreadProgress
    private let outcome: Locked<Outcome>

    private struct Outcome {
        var copies: [Int: [SpreadReport.Copy]] = [:]
        var codes: [ExitCode] = []
    }

    /// A file that can be copied. Here and below structs are used instead of tuples, since Swift 6.3 corrupts arrays of
    /// tuples that contain a ``SpreadSource`` in optimised builds.
    private struct Source {
        /// Position among the inputs.
        var index: Int
        var source: SpreadSource
    }

    /// Files that are to be sent to one node.
    private struct Load {
        /// Position of the node.
        var node: Int
        var sources: [Source] = []
    }

    init(
        _ inputs: [SpreadInput], _ nodes: SpreadNodes, _ options: SpreadCommand.Options, _ progress: SpreadProgress
    ) {
        (self.inputs, self.nodes, self.options, self.progress) = (inputs, nodes, options, progress)
        outcome = Locked(Outcome())
    }

    /// Plans the copies, and sends the files.
    /// - Throws: `CommandError` if there is no node, or `CancellationError`.
    func copy() async throws -> SpreadReport {
        let sources = inputs.indices.compactMap { index in
            (try? inputs[index].source.get()).map { Source(index: index, source: $0) }
        }
        let look = await nodes.look(for: sources.map(\.source.file))
        try Task.checkCancellation()
        try check(look)
        let plan = SpreadPlan(
            sizes: sources.map(\.source.file.byteCount), nodes: look.found.map(\.plan), copies: options.copies)
        let loads = loads(sources, plan, look.found)
        let all = loads.flatMap(\.sources)
        progress.begin(copies: all.count, bytes: all.reduce(0) { $0 + $1.source.file.byteCount })
        if options.dryRun {
            for load in loads {
                for source in load.sources {
                    note(source.index, SpreadReport.Copy(node: nodes.names[load.node], state: .planned))
                }
            }
        } else {
            await send(loads)
        }
        try Task.checkCancellation()
        return report(sources, plan, look.found.map(\.plan.name))
    }

    /// Returns the files to send to each node, and notes existing copies in the outcome.
    private func loads(_ sources: [Source], _ plan: SpreadPlan, _ found: [SpreadNodes.Found]) -> [Load] {
        var loads = found.map { Load(node: $0.index) }
        for (position, source) in sources.enumerated() {
            let copies = plan.copies[position]
            for node in copies.present {
                note(source.index, SpreadReport.Copy(node: found[node].plan.name, state: .present))
            }
            for node in copies.sent { loads[node].sources.append(source) }
        }
        return loads.filter { !$0.sources.isEmpty }
    }

    private func send(_ loads: [Load]) async {
        await withTaskCancellationHandler {
            await withDiscardingTaskGroup { group in
                for load in loads { group.addTask { await send(load) } }
            }
        } onCancel: { [nodes] in
            // The connections are closed, since pieces in flight may take minutes.
            Task {
                try? await Task.sleep(for: SpreadTransfer.farewell)
                nodes.close()
            }
        }
    }

    private func check(_ look: SpreadNodes.Look) throws(CommandError) {
        let count = look.found.count
        let isNamed = { (index: Int) in nodes.required.contains(nodes.calls[index].node.identity) }
        let first = look.troubles.sorted { $0.key < $1.key }
        if let trouble = first.first(where: { isNamed($0.key) || count == 0 }) { throw trouble.value }
        guard count >= options.copies else {
            throw CommandError(
                .noUsableNode,
                "spread: --copies \(options.copies) needs that many nodes that keep files; there are \(count)")
        }
    }

    private func send(_ load: Load) async {
        let node = nodes.calls[load.node]
        let transfer = SpreadTransfer(calls: node) { progress.sent($0) }
        for item in load.sources where !Task.isCancelled {
            var copy = SpreadReport.Copy(node: node.node.name, state: .failed)
            do {
                copy.state = try await transfer.send(item.source)
            } catch {
                if Task.isCancelled { return }
                let error = CommandError(error, in: "spread")
                // Errors about files of this machine do not name the node.
                copy.reason = error.description
                outcome.withLock { $0.codes.append(error.code) }
            }
            note(item.index, copy)
            progress.ended(item.source, copy)
        }
    }

    private func note(_ index: Int, _ copy: SpreadReport.Copy) {
        outcome.withLock { $0.copies[index, default: []].append(copy) }
    }

    private func report(_ sources: [Source], _ plan: SpreadPlan, _ names: [String]) -> SpreadReport {
        let outcome = outcome.withLock { $0 }
        var codes = outcome.codes
        var files = inputs.map { input in
            switch input.source {
            case .success(let source):
                return SpreadReport.File(
                    file: source.name, path: source.file.path, byteCount: source.file.byteCount)
            case .failure(let error):
                codes.append(error.code)
                return SpreadReport.File(file: input.name, reason: error.description)
            }
        }
        for (index, copies) in outcome.copies { files[index].copies = copies.sorted { $0.node < $1.node } }
        for (position, item) in sources.enumerated() where plan.copies[position].missing > 0 {
            let missing = HumanFormat.count(plan.copies[position].missing, "copy")
            codes.append(.output)
            files[item.index].reason = "\(item.source.name): \(missing) too few, since no store has room for more"
        }
        return SpreadReport(files: files, nodes: names, seconds: 0, codes: codes)
    }
}
