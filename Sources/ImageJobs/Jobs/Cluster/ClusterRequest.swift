package import CommandLineKit
import ScanNetwork

/// A request about jobs to a node of the cluster, as the body of a call; see "Calls" in Docs/Protocol.md.
package struct ClusterRequest: Codable, Equatable, Sendable {
    package enum Action: String, Codable, Sendable {
        /// Return the jobs of the node.
        case list
        /// Return a job with what its journal records.
        case show
        case submit, pause, resume, cancel, priority, remove
        /// Return the existing outputs of a job.
        case files
        /// Return a piece of such an output.
        case read
        /// Return the node's load and the end of its log.
        case load
    }

    package var v = 1
    package var action: Action
    /// ID of the job.
    package var id: String?
    /// The command, for `submit`; nil for `skyfarm scan`.
    package var verb: JobVerb?
    /// Arguments of the command, for `submit`.
    package var words: [String]?
    /// IDs, or their beginnings, of the jobs of that node after which the job begins, for `submit`.
    package var after: [String]?
    /// Absolute path of the folder of submission, for `submit`.
    package var folder: String?
    /// User and host of the submitter, for `submit`.
    package var from: String?
    /// Input files as the sender sees them, for `submit`.
    package var stamps: [InputStamp]?
    /// Weight of the job, for `priority`.
    package var weight: Double?
    /// Name that `files` listed, and offset of the piece, for `read`.
    package var name: String?
    package var offset: Int?

    package init(_ action: Action, id: String? = nil) { (self.action, self.id) = (action, id) }
}

/// Reply of a node to a ``ClusterRequest``.
package struct ClusterReply: Codable, Sendable {
    package var v = 1
    package var jobs: [JobRow]?
    package var id: String?
    package var files: [JobFile]?
    /// The piece that was read, at most ``JobFile/pieceSize`` bytes.
    package var bytes: [UInt8]?
    package var load: NodeLoad?
    /// Reason why the request failed, or nil if it succeeded.
    package var error: String?
    /// Exit code that belongs to the error.
    package var code: Int32?

    package init() {}

    package init(_ error: CommandError) { (self.error, code) = (error.description, error.code.rawValue) }

    /// Returns the reply with numbers limited to a valid range, and with the load's texts limited in length.
    /// - Throws: `CommandError` if the request failed.
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
    /// - Throws: `CommandError` if the node cannot be reached or the request fails.
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
