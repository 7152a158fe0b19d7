package import CommandLineKit
import Foundation
import ImageScanning
import ScanCluster
package import ScanNetwork
package import SkyScan

/// Operations on jobs of all nodes of the cluster.
extension JobsCommand {
    /// A job of this machine's user, submitted or not, or one that a node reports.
    package enum Target: Sendable {
        case journal(JournalFolder, JournalFolder.Entry)
        case here(SubmittedJobs, String)
        case remote(NodeCalls, String)

        var id: String {
            switch self {
            case .journal(_, let entry): entry.id
            case .here(_, let id), .remote(_, let id): id
            }
        }

        /// Returns the current state of the job, with what its journal records if `isFull`.
        package func row(isFull: Bool = false) async throws -> JobRow {
            switch self {
            case .journal(let folder, let entry): return JobRow(try folder.entry(prefix: entry.id))
            case .here(let jobs, let id):
                guard let entry = jobs.entry(id) else { throw CommandError(.failure, "job \(id) was removed") }
                return JobRow(entry, journal: isFull ? jobs.journal(of: id) : nil)
            case .remote(let calls, let id):
                let rows = try await calls.send(ClusterRequest(isFull ? .show : .list, id: id)).jobs ?? []
                guard let row = rows.first(where: { $0.id == id }) else {
                    throw CommandError(.failure, "\(calls.node.name) has no job \(id) any more")
                }
                return row
            }
        }
    }

    /// Which node may be used if the node of a job does not answer.
    package enum Substitute: Sendable {
        case none
        /// A node that shares the job's folder, but only if the job has ended and does not change any more.
        case ofEnded
        /// Any node that shares the job's folder.
        case any
    }

    /// Returns each job once: those of this machine's user, submitted or not, and those of all nodes that answer.
    func rows() async throws -> [JobRow] {
        let entries = try options.folder.entries()
        let journalled = entries.compactMap { entry in entry.record?.submission.map { ($0, entry) } }
        // The newest journal of a submitted job comes first; `jobs show` reads it, too.
        let journals = Dictionary(journalled) { first, _ in first }
        var here = options.submitted?.entries().map { JobRow($0, journal: journals[$0.job.id]) } ?? []
        let submitted = Set(here.map(\.id))
        let others = entries.filter { !submitted.contains($0.record?.submission ?? "") }
        let view = try await options.cluster.view()
        for trouble in view.troubles { say("skyfarm jobs: \(trouble)") }
        let nodes = Dictionary(view.rows.map { ($0.id, $0.node) }) { $1 }
        for index in here.indices { here[index].node = nodes[here[index].id] ?? nil }
        return JobCluster.sorted(JobCluster.merged(here + view.rows) + others.map { JobRow($0) })
    }

    /// Returns the job whose ID has this prefix: a submitted one of this machine, a scan of this machine, or one on its own
    /// node or on a substitute.
    /// - Throws: `CommandError` if there is no such job or several.
    package func target(_ prefix: String, substitute: Substitute = .none) async throws -> Target {
        if let jobs = options.submitted, let entry = jobs.entry(prefix: prefix) { return .here(jobs, entry.job.id) }
        if try options.folder.ids().contains(where: { $0.hasPrefix(prefix.lowercased()) }) {
            return .journal(options.folder, try options.folder.entry(prefix: prefix))
        }
        func rows(_ view: JobCluster.View) -> [JobRow] {
            view.rows.filter { $0.id.hasPrefix(prefix.lowercased()) }
        }
        let view = try await options.cluster.view { view in
            rows(view).contains { row in
                let isLost = options.on == nil && row.state == SubmittedJob.State.lost.rawValue
                let isThere = substitute != .none && row.code != nil
                return isLost || isThere || (try? view.node(of: row, options.on)) != nil
            }
        }
        let rows = rows(view)
        guard rows.count == 1, let row = rows.first else {
            let silent = view.troubles.isEmpty ? "" : " (\(view.troubles.joined(separator: "; ")))"
            throw CommandError(
                .failure,
                rows.isEmpty
                    ? "no job has the ID \(prefix); `skyfarm jobs` lists them\(silent)"
                    : "\(rows.count) jobs have IDs that begin with \(prefix); give more digits")
        }
        do {
            return .remote(try view.node(of: row, options.on), row.id)
        } catch {
            guard substitute == .any || substitute == .ofEnded && row.code != nil, let node = view.reporter(of: row)
            else { throw error }
            return .remote(node, row.id)
        }
    }

    /// Carries out an order about a job: here, or by a request to its node, or to another one if `--on` is given.
    package func order(_ action: ClusterRequest.Action, _ prefix: String, weight: Double? = nil) async throws
        -> ExitCode
    {
        let target = try await target(prefix, substitute: action == .remove ? .any : .none)
        switch target {
        case .journal(let folder, let entry):
            if action == .resume, options.on == nil { return try await resume(entry) }
            guard action == .remove else {
                throw CommandError(.failure, "job \(entry.id) was not submitted: only resume and remove apply to it")
            }
            try folder.remove(entry.id)
        case .here(let jobs, let id) where action == .remove:
            if let entry = jobs.entry(id) { try remove(entry, of: jobs) }
        case .here(_, let id) where options.on == nil:
            guard let local = LocalRequest.Action(rawValue: action.rawValue) else { preconditionFailure("no order") }
            var request = LocalRequest(local, of: id)
            request.weight = weight
            _ = try LocalSocket.send(request, options.environment)
        case .here(_, let id):
            throw CommandError(
                .failure,
                "job \(id) is kept on this machine alone: only nodes that share a folder of --accept-jobs continue it")
        case .remote(let calls, let id):
            var request = ClusterRequest(action, id: id)
            request.weight = weight
            _ = try await calls.send(request)
        }
        if action == .remove { say("removed job \(target.id)") }
        return .complete
    }
}

extension JobCluster.View {
    /// Returns a node that can read the folder of a job.
    func reporter(of row: JobRow) -> NodeCalls? {
        let reporters = reporters[row.id] ?? []
        return nodes.first { reporters.contains($0.node.identity) }
    }

    /// Returns the node that processes orders about a job: the node that `word` selects, or else the job's own node.
    /// - Throws: `CommandError` if the node does not answer, or if the word could mean several nodes.
    package func node(of row: JobRow, _ word: String?) throws(CommandError) -> NodeCalls {
        if let word {
            switch NodeWord(word).choice(among: nodes, name: \.node.name) {
            case .none: break
            case .chosen, .ambiguous: return try NodeWord(word).node(among: nodes)
            }
        } else if let holder = holders[row.id], let node = nodes.first(where: { $0.node.identity == holder }) {
            return node
        } else if let node = nodes.first(where: { $0.node.name == row.node }) {
            return node
        }
        let name = word ?? row.node ?? ""
        guard row.state == SubmittedJob.State.lost.rawValue || row.isElsewhere == true else {
            throw CommandError(.noUsableNode, "no node \(name) answers; `skyfarm nodes` lists the names")
        }
        throw CommandError(
            .noUsableNode,
            "\(name), the node of job \(row.id), does not answer; `skyfarm jobs resume \(row.id) --on NODE` continues it"
                + " elsewhere, once it is lost")
    }
}
