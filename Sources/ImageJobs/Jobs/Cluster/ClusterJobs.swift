import CommandLineKit
import Dispatch
import Foundation
import ScanCluster
package import ScanNetwork
package import SkyScan

/// Answers the calls of other machines about the jobs of this one. Orders go to the node's own socket, whose server is
/// the one node of the user that runs jobs.
package struct ClusterJobs: Sendable {
    package let permit: JobPermit
    package let supervisor: JobSupervisor
    package let environment: [String: String]
    package let load: @Sendable () -> NodeLoad?
    /// Reads the files of jobs, and looks at those that jobs name: a disk may not answer.
    package let disk = BlockingExecutor(label: "skyfarm.jobs.files")
    /// The outputs of the job that were read last: a fetched file has many pieces.
    private let known = Locked<(id: String, outputs: JobOutputs)?>(nil)

    package init(
        permit: JobPermit, supervisor: JobSupervisor, environment: [String: String],
        load: @escaping @Sendable () -> NodeLoad?
    ) {
        (self.permit, self.supervisor, self.environment, self.load) = (permit, supervisor, environment, load)
    }

    /// The body of the reply to the call with this body.
    package func answer(_ body: [UInt8], _ peer: NodeServer.Peer) async -> [UInt8] {
        var reply = ClusterReply()
        do {
            guard let request = try? WireDecoder().decode(ClusterRequest.self, from: body) else {
                throw CommandError(.failure, "the request cannot be read; use the same version of skyfarm on both")
            }
            reply = try await carryOut(request, peer)
        } catch {
            reply = ClusterReply(CommandError(error, in: "jobs"))
        }
        // Strings and numbers can always be encoded.
        return (try? WireEncoder().encode(reply)) ?? []
    }

    private func carryOut(_ request: ClusterRequest, _ peer: NodeServer.Peer) async throws -> ClusterReply {
        var reply = ClusterReply()
        switch request.action {
        case .list: reply.jobs = await supervisor.rows()
        case .load: reply.load = load()
        case .files:
            let id = try await find(request.id).entry.job.id
            let outputs = try await supervisor.outputs(of: id)
            known.withLock { $0 = (id, outputs) }
            reply.files = try await disk.run { outputs.all() }
        case .read:
            let id = try await find(request.id).entry.job.id
            let last = known.withLock { $0 }
            let outputs = if let last, last.id == id { last.outputs } else { try await supervisor.outputs(of: id) }
            known.withLock { $0 = (id, outputs) }
            let (name, offset) = (request.name ?? "", request.offset ?? 0)
            reply.bytes = try await disk.run { try outputs.piece(of: name, at: offset) }
        case .submit: reply.id = try await submit(request, peer)
        case .pause: reply.id = try await order(.pause, request)
        case .resume: reply.id = try await order(.resume, request)
        case .cancel: reply.id = try await order(.cancel, request)
        case .priority: reply.id = try await order(.priority, request)
        case .remove: reply.id = try await order(.remove, request)
        }
        return reply
    }

    private func find(_ id: String?) async throws -> (entry: SubmittedEntry, permit: JobPermit?) {
        guard let id, let found = await supervisor.find(id) else {
            throw CommandError(.failure, "no submitted job has the ID \(id?.printable ?? "")")
        }
        return found
    }

    private func submit(_ request: ClusterRequest, _ peer: NodeServer.Peer) async throws -> String {
        guard let words = request.words, let folder = request.folder else { throw UsageError("no job was sent") }
        guard !permit.folders.isEmpty else {
            throw CommandError(
                .noUsableNode,
                "takes no jobs of other machines; its owner allows a folder by `skyfarm node --accept-jobs DIR`")
        }
        let finding = try await disk.run { [permit, stamps = request.stamps ?? []] in
            let finding = try permit.check(words, in: folder, isRunning: false)
            try permit.compare(stamps)
            return finding
        }
        var order = LocalRequest(.submit)
        (order.words, order.folder, order.store, order.permit) = (words, finding.folder, finding.store, permit)
        order.from = (request.from ?? peer.name).printable
        return try await send(order)
    }

    private func order(_ action: LocalRequest.Action, _ request: ClusterRequest) async throws -> String {
        let (entry, allowed) = try await find(request.id)
        var order = LocalRequest(action, of: entry.job.id)
        order.weight = request.weight.map { min(max($0, 0.01), 100) }
        // What its user submitted on the machine itself is removed there.
        guard action != .remove || allowed != nil else {
            throw CommandError(.failure, "job \(entry.job.id) was submitted on the node's machine: remove it there")
        }
        if action == .resume, let allowed, entry.isForeign(to: supervisor.holder.owner) {
            _ = try await disk.run { try allowed.check(entry.job.words, in: entry.job.folder, isRunning: false) }
        }
        return try await send(order)
    }

    /// Sends a request to the node's socket, on a thread that may wait.
    private func send(_ request: LocalRequest) async throws -> String {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async { [environment] in
                continuation.resume(
                    with: Result {
                        try LocalSocket.send(request, environment, timeLimit: 60).id ?? ""
                    })
            }
        }
    }
}
