import CommandLineKit
import ScanCluster
import ScanNetwork

/// Sends files to one node, one after another.
struct SpreadTransfer: Sendable {
    let calls: NodeCalls
    /// Called with the number of bytes of each piece that the node has received.
    let sent: @Sendable (Int) -> Void

    /// Maximum number of pieces in flight, enough to fill a link while the node writes.
    private static let window = 3
    /// Time limit for telling a node that a file is abandoned.
    static let farewell = Duration.seconds(1)

    /// Sends a file unless the node already has it.
    /// - Throws: `CommandError` or `CancellationError`. In that case the node has no file under that name.
    func send(_ source: SpreadSource) async throws -> SpreadReport.State {
        let reader = try SpreadReader(source)
        var begin = StoreRequest(.begin)
        begin.file = source.file
        var reply = try await calls.send(begin)
        if reply.state == .unsure {
            begin.digest = try await reader.digest()
            reply = try await calls.send(begin)
        }
        switch reply.state {
        case .present: return .present
        case .different: throw different(source)
        default: break
        }
        guard reply.state == .accepted, let upload = reply.upload else {
            throw CommandError(.failure, "\(calls.node.name): gave an answer that cannot be read")
        }
        do {
            var commit = StoreRequest(.commit, of: upload)
            commit.digest = try await sendPieces(of: source, reader, upload)
            try Task.checkCancellation()
            if try await calls.send(commit).state == .different { throw different(source) }
            return .sent
        } catch {
            await giveUp(upload)
            throw error
        }
    }

    private func different(_ source: SpreadSource) -> CommandError {
        CommandError(
            .output,
            "\(calls.node.name): has another file as \(source.file.path), which is not replaced; remove it there, or rename"
                + " this one")
    }

    /// Sends all bytes of the file.
    /// - Returns: The digest of the file.
    private func sendPieces(of source: SpreadSource, _ reader: SpreadReader, _ upload: UInt64) async throws -> [UInt8] {
        var digests: [[UInt8]] = []
        try await withThrowingTaskGroup(of: Int.self) { group in
            var open = 0
            for offset in stride(from: 0, to: source.file.byteCount, by: JobFile.pieceSize) {
                if open == Self.window, let count = try await group.next() {
                    sent(count)
                    open -= 1
                }
                try Task.checkCancellation()
                let piece = try await reader.piece(at: offset)
                digests.append(piece.digest)
                var request = StoreRequest(.piece, of: upload)
                (request.offset, request.bytes) = (offset, piece.bytes)
                group.addTask { [request] in
                    _ = try await calls.send(request)
                    return request.bytes?.count ?? 0
                }
                open += 1
            }
            for try await count in group { sent(count) }
        }
        return try ContentDigest.whole(digests)
    }

    /// Tells the node that a file is abandoned. Without this, the node detects it after a while.
    private func giveUp(_ upload: UInt64) async {
        let calls = calls
        let farewell = Task { _ = try? await calls.send(StoreRequest(.abandon, of: upload)) }
        let replies = poll([upload], within: Self.farewell) { _ in
            await farewell.value
        } late: { _ in
        }
        for await _ in replies { break }
    }
}
