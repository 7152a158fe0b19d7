import CSystem
import CommandLineKit
import Console
import Foundation

/// A child process in its own session, which outlives this process and its terminal.
enum DetachedProcess {
    /// Starts `words[0]`, an absolute path, in `folder`. Output and errors are appended to the file `log`.
    /// - Throws: `CommandError` if it cannot be started.
    static func start(
        _ words: [String], in folder: String, log: String, environment: [String: String]
    ) throws(CommandError) -> pid_t {
        var process: pid_t = 0
        let failure = SpawnedProcess.withStrings(words, environment) { arguments, variables in
            skyfarm_spawn_detached(arguments, variables, folder, log, &process)
        }
        guard failure == 0 else { throw CommandError(.failure, "\(words[0]) in \(folder)", errno: failure) }
        return process
    }

    /// Waits until a child has exited, on a separate thread.
    static func end(of process: pid_t) async {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                SpawnedProcess.wait(for: process)
                continuation.resume()
            }
        }
    }
}
