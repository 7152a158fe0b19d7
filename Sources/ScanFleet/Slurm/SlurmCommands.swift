import CommandLineKit
import Console
import Foundation
import NodeDaemon
import ScanCluster

/// Runs Slurm's commands that submit, list and cancel arrays of nodes.
struct SlurmCommands: Sendable {
    private let sbatch: String
    private let squeue: String
    private let scancel: String
    /// Job name that all jobs of this process share.
    let name: String
    /// Folder of the nodes' logs.
    let logs: String

    /// - Throws: `CommandError` if Slurm is not installed.
    init(name: String, logs: String, environment: [String: String]) throws(CommandError) {
        func path(_ program: String) throws(CommandError) -> String {
            if let path = NodeService.programPath(program, environment: environment, folder: "/") { return path }
            throw CommandError(
                .failure, "up --slurm: \(program) is not on PATH: run this on a machine that submits jobs to Slurm")
        }
        (sbatch, squeue, scancel) = (try path("sbatch"), try path("squeue"), try path("scancel"))
        (self.name, self.logs) = (name, logs)
    }

    /// Submits an array of `count` tasks that run `script`.
    /// - Returns: The IDs of the tasks, `JOB_INDEX`.
    /// - Throws: `CommandError` with Slurm's error message.
    func submit(_ count: Int, _ script: String, _ options: [String]) async throws -> [String] {
        let words = [
            sbatch, "--parsable", "--array=1-\(count)", "--job-name=\(name)", "--signal=B:TERM@\(Self.drainSeconds)",
            "--output=\(logs)/%A_%a.log", "--no-requeue",
        ]
        let result = try await ChildProcess.run(words + options, input: Data(script.utf8))
        // With --parsable, the output is the ID, followed by a semicolon and the name of the cluster if present.
        guard result.code == 0, let job = Int(result.output.prefix { $0.isNumber }) else {
            throw CommandError(.failure, "up --slurm: sbatch: \(Self.reason(result))")
        }
        return (1...count).map { "\(job)_\($0)" }
    }

    /// Time before the end of a task's time limit at which its node begins to drain, in seconds.
    static let drainSeconds = 60

    /// Returns the states of the tasks of this process.
    /// - Throws: `CommandError` if Slurm does not answer.
    func tasks() async throws -> [String: SlurmTask] {
        let result = try await ChildProcess.run(
            [squeue, "--array", "--noheader", "--name=\(name)", "--format=%i %T"])
        guard result.code == 0 else { throw CommandError(.failure, "squeue: \(Self.reason(result))") }
        return SlurmTask.parse(result.output)
    }

    /// Cancels tasks, whose nodes then drain.
    func cancel(_ ids: [String]) async throws {
        let result = try await ChildProcess.run([scancel, "--quiet"] + ids)
        guard result.code == 0 else { throw CommandError(.failure, "scancel: \(Self.reason(result))") }
    }

    private static func reason(_ result: ChildProcess.Result) -> String {
        let line = result.errors.split(separator: "\n").last.map(String.init)?.printable
        return line ?? "ended with code \(result.code)"
    }

    /// Returns the script of each task. It removes the node's private files at its end, and forwards SIGTERM to the
    /// node.
    static func script(program: String, join address: SocketAddress, idle: Duration?, options: [String]) -> String {
        var words = [program, "node", "--jobs", "0", "--no-advertise", "--join", address.description]
        if let idle { words += ["--idle-stop", "\(Int(idle / .seconds(1)))s"] }
        return """
            #!/bin/sh
            folder=$(mktemp -d) || exit 1
            XDG_RUNTIME_DIR=$folder
            export XDG_RUNTIME_DIR
            \(words.map(quotedForShell).joined(separator: " ")) \\
                --name "slurm-$SLURM_ARRAY_JOB_ID-$SLURM_ARRAY_TASK_ID" --slots "${SLURM_CPUS_ON_NODE:-1}" \\
                \(options.map(quotedForShell).joined(separator: " ")) &
            node=$!
            trap 'kill -TERM $node' TERM INT
            wait $node
            code=$?
            while kill -0 $node 2>/dev/null; do
                wait $node
                code=$?
            done
            rm -rf "$folder"
            exit $code

            """
    }
}
