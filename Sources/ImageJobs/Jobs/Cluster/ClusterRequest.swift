package import CommandLineKit
import ScanNetwork

/// A request about jobs to a node of the cluster, as the body of a call; see "Calls" in Docs/Protocol.md.
package struct ClusterRequest: Codable, Equatable, Sendable {
    package enum Action: String, Codable, Sendable {
        /// The jobs of the node.
        case list
        case submit, pause, resume, cancel, priority, remove
        /// The outputs of a job that exist.
        case files
        /// A piece of such a file.
        case read
        /// The node's load and the end of its log.
        case load
    }

    package var v = 1
    package var action: Action
    /// Of a job.
    package var id: String?
    /// Of `submit`: the arguments of `skyfarm scan`.
    package var words: [String]?
    /// Of `submit`: absolute.
    package var folder: String?
    /// Of `submit`: user and host.
    package var from: String?
    /// Of `submit`: input files as the sender sees them.
    package var stamps: [InputStamp]?
    /// Of `priority`.
    package var weight: Double?
    /// Of `read`: a name that `files` listed, and where the piece begins.
    package var name: String?
    package var offset: Int?

    package init(_ action: Action, id: String? = nil) { (self.action, self.id) = (action, id) }
}

/// A node's answer to a ``ClusterRequest``.
package struct ClusterReply: Codable, Sendable {
    package var v = 1
    package var jobs: [JobsCommand.SubmittedRow]?
    package var id: String?
    package var files: [JobFile]?
    /// The piece that was read; at most ``JobFile/pieceSize`` bytes.
    package var bytes: [UInt8]?
    package var load: NodeLoad?
    /// Why the request was not carried out.
    package var error: String?
    /// The exit code of that error.
    package var code: Int32?

    package init() {}

    package init(_ error: CommandError) { (self.error, code) = (error.description, error.code.rawValue) }

    /// The reply, with numbers that can be computed with and texts that can be kept.
    /// - Throws: `CommandError` if the request was not carried out.
    package func get(from node: String) throws(CommandError) -> ClusterReply {
        guard let error else {
            var reply = self
            (reply.jobs, reply.load) = (jobs?.map(\.possible), load?.possible)
            return reply
        }
        throw CommandError(ExitCode.all.first { $0.rawValue == code } ?? .failure, "\(node): \(error.printable)")
    }
}

extension NodeCalls {
    /// Sends a request and waits for the reply.
    /// - Throws: `CommandError` if the node cannot be reached or does not carry it out.
    package func send(_ request: ClusterRequest) async throws -> ClusterReply {
        let name = node.name
        do {
            let bytes = try await call(WireEncoder().encode(request))
            return try WireDecoder().decode(ClusterReply.self, from: bytes).get(from: name)
        } catch let error as CommandError {
            throw error
        } catch {
            throw CommandError(.noUsableNode, "\(name): \(error)")
        }
    }
}
