import CommandLineKit
import Dispatch
import Foundation
import ScanCluster
package import ScanNetwork
import SkyScan
package import TaskJournal

/// Answers calls of other machines about jobs of this one. Orders are forwarded to the local socket, whose server is
/// the only node of the user that runs jobs.
package struct ClusterJobs: Sendable {
    package let permit: JobPermit
    package let supervisor: JobSupervisor
    package let environment: [String: String]
    package let load: @Sendable () -> NodeLoad?
    /// Executor for file access of jobs, which may block if a disk does not respond.
    package let disk = BlockingExecutor(label: "skyfarm.jobs.files")
    /// The outputs of the job that was read last, since a fetched file has many pieces.
    private let known = Locked<(id: String, outputs: JobOutputs)?>(nil)

    package init(
        permit: JobPermit, supervisor: JobSupervisor, environment: [String: String],
        load: @escaping @Sendable () -> NodeLoad?
    ) {
        (self.permit, self.supervisor, self.environment, self.load) = (permit, supervisor, environment, load)
    }

    /// Returns the body of the reply to a call.
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
        // Encoding strings and numbers cannot fail.
        return (try? WireEncoder().encode(reply)) ?? []
    }

    private func carryOut(_ request: ClusterRequest, _ peer: NodeServer.Peer) async throws -> ClusterReply {
        var reply = ClusterReply()
        switch request.action {
        case .list: reply.jobs = await supervisor.rows()
        case .show:
            let id = try await find(request.id).entry.job.id
            reply.jobs = await supervisor.row(id).map { [$0] }
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
            let finding = try permit.check(words, of: request.verb, in: folder, isRunning: false)
            try permit.compare(stamps)
            return finding
        }
        var order = LocalRequest(.submit)
        (order.words, order.folder, order.store, order.permit) = (words, finding.folder, finding.store, permit)
        (order.verb, order.after) = (request.verb, request.after)
        order.from = (request.from ?? peer.name).printable
        return try await send(order)
    }

    private func order(_ action: LocalRequest.Action, _ request: ClusterRequest) async throws -> String {
        let (entry, allowed) = try await find(request.id)
        var order = LocalRequest(action, of: entry.job.id)
        order.weight = request.weight.map { min(max($0, 0.01), 100) }
        // A job that was submitted on this machine must be removed on this machine.
        guard action != .remove || allowed != nil else {
            throw CommandError(.failure, "job \(entry.job.id) was submitted on the node's machine: remove it there")
        }
        if action == .resume, let allowed, entry.isForeign(to: supervisor.holder.owner) {
            _ = try await disk.run {
                try allowed.check(
                    entry.job.words, of: entry.job.verb, in: entry.job.folder, isRunning: false)
            }
        }
        return try await send(order)
    }

    /// Sends a request to the node's socket, on a thread that may block.
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
