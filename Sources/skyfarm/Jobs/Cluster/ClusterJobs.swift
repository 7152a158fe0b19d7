import CommandLineKit
import Dispatch
import Foundation
import ScanNetwork

/// Answers the calls of other machines about the jobs of this one. Orders go to the node's own socket, whose server is
/// the one node of the user that runs jobs.
struct ClusterJobs: Sendable {
    let stores: JobStores
    let permit: JobPermit
    let supervisor: JobSupervisor
    let environment: [String: String]
    let load: @Sendable () -> NodeLoad?

    /// The body of the reply to the call with this body.
    func answer(_ body: [UInt8], _ peer: NodeServer.Peer) async -> [UInt8] {
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
        case .list: reply.jobs = await rows()
        case .load: reply.load = load()
        case .files: reply.files = try outputs(of: find(request.id)).compactMap { JobFile($0) }
        case .read:
            let entry = try find(request.id)
            guard let name = request.name, try outputs(of: entry).contains(name) else {
                throw CommandError(.input, "job \(entry.job.id) has no output of that name")
            }
            reply.bytes = try JobFile.piece(of: name, at: request.offset ?? 0)
        case .submit: reply.id = try await submit(request, peer)
        case .pause: reply.id = try await order(.pause, request)
        case .resume: reply.id = try await order(.resume, request)
        case .cancel: reply.id = try await order(.cancel, request)
        case .priority: reply.id = try await order(.priority, request)
        case .remove: reply.id = try await order(.remove, request)
        }
        return reply
    }

    private func find(_ id: String?) throws(CommandError) -> SubmittedEntry {
        guard let id, let entry = stores.find(id)?.entry else {
            throw CommandError(.failure, "no submitted job has the ID \(id?.printable ?? "")")
        }
        return entry
    }

    /// The jobs as this node sees them.
    private func rows() async -> [JobsCommand.SubmittedRow] {
        var rows: [JobsCommand.SubmittedRow] = []
        for entry in stores.entries() {
            let isForeign = entry.isForeign(to: supervisor.holder.owner)
            var row = JobsCommand.SubmittedRow(entry)
            row.state = await supervisor.state(of: entry).rawValue
            row.node = isForeign ? entry.lease?.node : supervisor.holder.node
            row.isElsewhere = isForeign
            if isForeign { row.process = nil }
            rows.append(row)
        }
        return rows
    }

    private func outputs(of entry: SubmittedEntry) throws -> [String] {
        try JobOutputs(entry.job, log: stores.find(entry.job.id)?.jobs.logPath(entry.job.id)).names
    }

    private func submit(_ request: ClusterRequest, _ peer: NodeServer.Peer) async throws -> String {
        guard let words = request.words, let folder = request.folder else { throw UsageError("no job was sent") }
        guard !permit.folders.isEmpty else {
            throw CommandError(
                .noUsableNode,
                "takes no jobs of other machines; its owner allows a folder by `skyfarm node --accept-jobs DIR`")
        }
        let store = try permit.check(words, in: folder, readsLists: false)
        try permit.compare(request.stamps ?? [])
        var order = LocalRequest(action: .submit)
        (order.words, order.folder, order.store, order.permit) = (words, folder, store, permit)
        order.from = (request.from ?? peer.name).printable
        return try await send(order)
    }

    private func order(_ action: LocalRequest.Action, _ request: ClusterRequest) async throws -> String {
        let entry = try find(request.id)
        var order = LocalRequest(action: action, id: entry.job.id)
        order.weight = request.weight.map { min(max($0, 0.01), 100) }
        // What its user submitted on the machine itself is removed there.
        guard action != .remove || entry.job.permit != nil else {
            throw CommandError(.failure, "job \(entry.job.id) was submitted on the node's machine: remove it there")
        }
        if action == .resume, entry.isForeign(to: supervisor.holder.owner) {
            _ = try permit.check(entry.job.words, in: entry.job.folder, readsLists: false)
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
