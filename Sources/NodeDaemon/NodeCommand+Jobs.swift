package import CommandLineKit
import Console
import Foundation
import ImageJobs
import ScanCluster
package import ScanNetwork

extension NodeCommand.Options {
    package static func order(_ arguments: Arguments) throws(UsageError) -> NodeOrder? {
        switch (try arguments[NodeCommand.pause], try arguments[NodeCommand.resume]) {
        case (true, true): throw UsageError("node: use either --pause or --resume")
        case (true, false): .pause
        case (false, true): .resume
        case (false, false): nil
        }
    }
}

extension NodeCommand {
    static let acceptJobs = Option.list(
        "accept-jobs", .text("DIR", expected: "the name of a folder"), layers: .all,
        help:
            "Run jobs that holders of the key submit on other machines, if their files are below this folder, and"
            + " continue such jobs of nodes that share the folder")
    static let jobLease = Option.value(
        "job-lease", .number("SECONDS", JobLease.limits), default: 10, layers: .all,
        help: "Silence after which another node may continue a job of this one, in a folder of --accept-jobs")

    /// Pauses or resumes the node of this user on this machine.
    package func send(_ order: NodeOrder) throws -> ExitCode {
        let action: LocalRequest.Action = order == .pause ? .pauseNode : .resumeNode
        let reply = try LocalSocket.send(LocalRequest(action), options.environment)
        try StandardOutput.write(reply.pause.map { "paused: \($0)\n" } ?? "runs tasks\n")
        return order == .resume && reply.pause != nil ? .noUsableNode : .complete
    }

    /// Returns the service that runs this user's jobs and answers calls about them, or nil if the environment defines
    /// no folder for jobs.
    func jobService(
        _ name: String, known: @escaping @Sendable () -> [Systems.Peer], load: @escaping @Sendable () -> NodeLoad?
    ) throws(CommandError) -> ClusterJobs? {
        let folder = FileManager.default.currentDirectoryPath
        guard let own = SubmittedJobs(environment: options.environment),
            let program = NodeService.programPath(
                CommandLine.arguments[0], environment: options.environment, folder: folder)
        else { return nil }
        let permit = JobPermit(folders: options.acceptedFolders, data: options.readable)
        for folder in options.acceptedFolders {
            guard let real = realPath(folder) else {
                throw CommandError(.input, "node: --accept-jobs \(folder): no such folder")
            }
            // Created now, so that no other user can create a folder of that name first.
            try failing(.failure, about: "node") { try SubmittedJobs(sharedIn: real).inFolder(isMade: true) { _ in } }
        }
        let stores = JobStores(own: own, permit: permit)
        let holder = JobSupervisor.Holder(
            owner: "\(ProcessInfo.processInfo.hostName):\(realPath(own.path) ?? own.path)", node: name,
            limit: options.jobLease)
        let supervisor = JobSupervisor(stores, limit: options.jobs, holder: holder, program: program, known: known) {
            say($0)
        }
        return ClusterJobs(permit: permit, supervisor: supervisor, environment: options.environment, load: load)
    }

    /// Serves requests of this user's commands and runs the submitted jobs until the task is cancelled. If a user has
    /// several nodes, one of them does so, and another one takes over when it ends.
    func serveJobs(_ service: ClusterJobs?, _ owner: NodeOwner, peers: @escaping @Sendable () -> [[String]]) async {
        guard let path = LocalSocket.path(options.environment), let service else { return }
        let supervisor = service.supervisor
        do {
            while !Task.isCancelled {
                let server = try LocalServer(path: path) { [options] request in
                    switch request.action {
                    case .pauseNode: return LocalReply(pause: owner.handle(.owner(isPaused: true)))
                    case .resumeNode: return LocalReply(pause: owner.handle(.owner(isPaused: false)))
                    case .peers: return LocalReply(peers: peers())
                    case .submit where options.jobs == 0:
                        return LocalReply(
                            error: "the node of this machine takes no jobs (--jobs 0)",
                            code: ExitCode.noUsableNode.rawValue)
                    case .submit:
                        return await supervisor.answer(await service.placed(request))
                    case .pause, .resume, .cancel, .priority, .remove: return await supervisor.answer(request)
                    }
                }
                if server != nil { await supervisor.begin() }
                // A node that owns the socket serves until the end; the others wait until the socket is free.
                while !Task.isCancelled {
                    try? await Task.sleep(for: .seconds(min(2, options.jobLease / 5)))
                    await supervisor.observe()
                    if server == nil { break }
                }
                withExtendedLifetime(server) {}
                if Task.isCancelled { await supervisor.close() }
            }
        } catch {
            say("jobs cannot be submitted to this node: \(error)")
        }
    }
}

extension ClusterJobs {
    /// Returns the request with the shared folder in which the job is kept, if all files of the job are below a folder
    /// of `--accept-jobs`; other nodes can then take the job over. Any other request is returned unchanged.
    func placed(_ request: LocalRequest) async -> LocalRequest {
        guard request.store == nil, request.verb ?? .scan == .scan, !permit.folders.isEmpty, let words = request.words,
            let folder = request.folder,
            let finding = try? await disk.run({ [permit] in try permit.check(words, in: folder, isRunning: false) })
        else { return request }
        var placed = request
        (placed.store, placed.folder, placed.permit) = (finding.store, finding.folder, permit)
        return placed
    }
}
