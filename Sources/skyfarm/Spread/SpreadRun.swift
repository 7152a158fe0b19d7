import CommandLineKit
import ScanCluster
import ScanNetwork

/// Copies files to nodes: all nodes at the same time, each one file after the other.
struct SpreadRun: Sendable {
    /// Each with its name.
    private let inputs: [(String, Result<SpreadSource, CommandError>)]
    private let nodes: SpreadNodes
    private let options: SpreadCommand.Options
    private let progress: SpreadProgress
    private let outcome: Locked<Outcome>

    private struct Outcome {
        var copies: [Int: [SpreadReport.Copy]] = [:]
        var codes: [ExitCode] = []
    }

    init(
        _ inputs: [(String, Result<SpreadSource, CommandError>)], _ nodes: SpreadNodes,
        _ options: SpreadCommand.Options,
        _ progress: SpreadProgress
    ) {
        (self.inputs, self.nodes, self.options, self.progress) = (inputs, nodes, options, progress)
        outcome = Locked(Outcome())
    }

    /// Plans and copies.
    /// - Throws: `CommandError` if there is no node, `CancellationError`.
    func copy() async throws -> SpreadReport {
        let sources = inputs.enumerated().compactMap { index, input in
            (try? input.1.get()).map { (index, $0) }
        }
        let (found, troubles) = await nodes.look(for: sources.map(\.1.file))
        try Task.checkCancellation()
        try check(found.count, troubles)
        let plan = SpreadPlan(
            sizes: sources.map(\.1.file.byteCount), nodes: found.map(\.plan), copies: options.copies)
        var work: [Int: [(Int, SpreadSource)]] = [:]
        for ((index, source), copies) in zip(sources, plan.copies) {
            for node in copies.present { note(index, SpreadReport.Copy(node: found[node].plan.name, state: .present)) }
            for node in copies.sent { work[found[node].index, default: []].append((index, source)) }
        }
        let all = work.values.joined()
        progress.begin(copies: all.count, bytes: all.reduce(0) { $0 + $1.1.file.byteCount })
        if options.dryRun {
            for (node, files) in work {
                for (index, _) in files { note(index, SpreadReport.Copy(node: nodes.names[node], state: .planned)) }
            }
        } else {
            // Not the pair of the loop: captured in an optimised build of Swift 6.3, it has other values in the task.
            let transfers = work.map { (calls: nodes.calls[$0.key], files: $0.value) }
            await withTaskCancellationHandler {
                await withDiscardingTaskGroup { group in
                    for transfer in transfers { group.addTask { await send(transfer.files, to: transfer.calls) } }
                }
            } onCancel: { [nodes] in
                // Pieces that are on their way to a node may take minutes.
                Task {
                    try? await Task.sleep(for: SpreadTransfer.farewell)
                    nodes.close()
                }
            }
        }
        try Task.checkCancellation()
        return report(sources, plan, found.map(\.plan.name))
    }

    private func check(_ count: Int, _ troubles: [Int: CommandError]) throws(CommandError) {
        let isNamed = { (index: Int) in options.targets.contains(nodes.names[index]) }
        let first = troubles.sorted { $0.key < $1.key }
        if let trouble = first.first(where: { isNamed($0.key) || count == 0 }) { throw trouble.value }
        guard count >= options.copies else {
            throw CommandError(
                .noUsableNode,
                "spread: --copies \(options.copies) needs that many nodes that keep files; there are \(count)")
        }
    }

    private func send(_ files: [(Int, SpreadSource)], to node: NodeCalls) async {
        let transfer = SpreadTransfer(calls: node) { progress.sent($0) }
        for (index, source) in files where !Task.isCancelled {
            var copy = SpreadReport.Copy(node: node.node.name, state: .failed)
            do {
                copy.state = try await transfer.send(source)
            } catch {
                if Task.isCancelled { return }
                let error = CommandError(error, in: "spread")
                // The lines about files of this machine do not name the node.
                copy.reason = error.description
                outcome.withLock { $0.codes.append(error.code) }
            }
            note(index, copy)
            progress.ended(source, copy)
        }
    }

    private func note(_ index: Int, _ copy: SpreadReport.Copy) {
        outcome.withLock { $0.copies[index, default: []].append(copy) }
    }

    private func report(_ sources: [(Int, SpreadSource)], _ plan: SpreadPlan, _ names: [String]) -> SpreadReport {
        let outcome = outcome.withLock { $0 }
        var codes = outcome.codes
        var files = inputs.map { name, source in
            switch source {
            case .success(let source):
                return SpreadReport.File(
                    file: source.name, path: source.file.path, byteCount: source.file.byteCount)
            case .failure(let error):
                codes.append(error.code)
                return SpreadReport.File(file: name, reason: error.description)
            }
        }
        for (index, copies) in outcome.copies { files[index].copies = copies.sorted { $0.node < $1.node } }
        for ((index, source), copies) in zip(sources, plan.copies) where copies.missing > 0 {
            codes.append(.output)
            files[index].reason =
                "\(source.name): \(HumanFormat.count(copies.missing, "copy")) too few, since no store has room for more"
        }
        return SpreadReport(files: files, nodes: names, seconds: 0, codes: codes)
    }
}
