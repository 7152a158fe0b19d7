import CommandLineKit
import ScanBasics
package import ScanFarm
import ScanNetwork
import SkyFITS
package import SkyScan

/// Images that nodes read from their own storage.
extension ScanCommand {
    /// The checksums of an image's files. If this machine scans nothing, a node that has the files computes them, so that
    /// no pixel is read here.
    package func checksums(
        of reader: ImageReader, _ node: ScanNode, patience: Duration = .zero
    ) async throws -> InputChecksums {
        if options.cluster.slotsHere == 0, node.connections.hasReader {
            return try await reader.checksums(by: node.coordinator)
        }
        return try await reader.checksums(patience: patience)
    }

    /// The result of `body`, which uses the pixels of `reader`. If somebody has written to the image or its maps meanwhile,
    /// that is the error: the result, or another error, is due to it.
    /// - Throws: ``ImageError`` with `changed`; ``CommandError`` if nodes have read different pixels; what `body` throws.
    package func unchanged<Result>(
        _ reader: ImageReader, _ node: ScanNode, _ body: () async throws -> Result
    ) async throws -> Result {
        let result: Result
        do {
            result = try await body()
        } catch {
            if !(error is CancellationError) { try await reader.confirmUnchanged() }
            throw error
        }
        try checkCopies(of: reader, node)
        try await reader.confirmUnchanged()
        return result
    }

    /// Asks the nodes that have joined which files they have. Only a scan that needs nodes waits for their answers: the
    /// slots of this machine would be idle meanwhile.
    func learn(_ copies: FileCopies, _ node: ScanNode) async {
        let isNeeded = options.cluster.slotsHere == 0
        let patience = isNeeded ? Duration.milliseconds(500) : .zero
        if isNeeded, !options.cluster.nodes.isEmpty {
            // The first tasks would otherwise go to the node that has joined first.
            let joined = poll([node.connections], within: patience) {
                await $0.settled()
            } late: { _ in
            }
            for await _ in joined { break }
        }
        if node.connections.hasReader { await copies.learn(within: patience) }
    }

    /// Refuses the result of a scan for which nodes have read different pixels by the same name.
    /// - Throws: ``CommandError``.
    private func checkCopies(of reader: ImageReader, _ node: ScanNode) throws {
        if let problem = node.connections.bulkProblems.first(where: { $0.discredits(reader) }) {
            throw CommandError(.input, problem.words)
        }
    }
}

extension ImageReader {
    /// Plans the scan of the image, the file at `path`, by its copies.
    package nonisolated func expect(_ copies: FileCopies, of path: String, on node: ScanNode) {
        expectCopies { node.connections.hasReader ? copies.nodes(of: path) : FileCopies.Nodes() }
    }
}

extension RemoteNodes {
    /// What was wrong with files that nodes should have read themselves: a line for each node, about its first one. Files
    /// of which other nodes have copies are left out.
    func copyLines(_ copies: FileCopies?) -> [String] {
        var nodes: Set<String> = []
        return bulkProblems.filter { problem in
            guard case .unread(_, let node) = problem else { return true }
            if problem.isExcused(by: copies) { return false }
            return nodes.insert(node).inserted
        }.map(\.words)
    }
}
