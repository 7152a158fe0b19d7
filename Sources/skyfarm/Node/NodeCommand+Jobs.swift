import CommandLineKit
import Foundation
import ScanNetwork

extension NodeCommand.Options {
    static func order(_ arguments: Arguments) throws(UsageError) -> NodeOrder? {
        switch (try arguments[NodeCommand.pause], try arguments[NodeCommand.resume]) {
        case (true, true): throw UsageError("node: use either --pause or --resume")
        case (true, false): .pause
        case (false, true): .resume
        case (false, false): nil
        }
    }
}

extension NodeCommand {
    /// Pauses or resumes the node of this user on this machine.
    func send(_ order: NodeOrder) throws -> ExitCode {
        let action: LocalRequest.Action = order == .pause ? .pauseNode : .resumeNode
        let reply = try LocalSocket.send(LocalRequest(action: action), options.environment)
        try StandardOutput.write(reply.pause.map { "paused: \($0)\n" } ?? "runs tasks\n")
        return order == .resume && reply.pause != nil ? .noUsableNode : .complete
    }

    /// Takes requests of this user's commands, and runs the submitted jobs, until the task is cancelled. Of several
    /// nodes of a user one does, and another one when it has ended.
    func serveJobs(_ owner: NodeOwner) async {
        let folder = FileManager.default.currentDirectoryPath
        guard let path = LocalSocket.path(options.environment),
            let jobs = SubmittedJobs(environment: options.environment),
            let program = NodeService.programPath(
                CommandLine.arguments[0], environment: options.environment, folder: folder)
        else { return }
        let supervisor = JobSupervisor(jobs, limit: options.jobs, program: program) { say($0) }
        do {
            while !Task.isCancelled {
                let server = try LocalServer(path: path) { [options] request in
                    switch request.action {
                    case .pauseNode: return LocalReply(pause: owner.handle(.owner(isPaused: true)))
                    case .resumeNode: return LocalReply(pause: owner.handle(.owner(isPaused: false)))
                    case .submit where options.jobs == 0:
                        return LocalReply(
                            error: "the node of this machine takes no jobs (--jobs 0)",
                            code: ExitCode.noUsableNode.rawValue)
                    case .submit, .pause, .resume, .cancel: return await supervisor.answer(request)
                    }
                }
                if server != nil { await supervisor.begin() }
                // With the socket to the end; without it, until it is free.
                while !Task.isCancelled {
                    try? await Task.sleep(for: server == nil ? .seconds(2) : .seconds(3600))
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
