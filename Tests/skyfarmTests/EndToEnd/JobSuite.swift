import Foundation

import ImageJobs

/// A suite of tests with jobs that are handed to a node of this machine.
protocol JobSuite {
    var scene: Scene { get }
    /// That of the node and of the commands.
    var environment: [String: String] { get }
}

extension JobSuite {
    var jobs: SubmittedJobs { SubmittedJobs(path: scene.path("state/skyfarm/jobs")) }

    /// A node that takes jobs.
    func node() throws -> Node {
        let node = try Node("near", environment: environment)
        let end = ContinuousClock.now + .seconds(60)
        // It serves the socket once it is ready.
        while try Program.run(["node", "--resume"], environment: environment).code != 0, .now < end { usleep(10_000) }
        return node
    }

    func run(_ words: [String]) throws -> Program.Result { try Program.run(words, environment: environment) }

    /// Submits a job.
    /// - Returns: its ID.
    func submit(_ words: [String]) throws -> String {
        let result = try run(["submit"] + words)
        guard result.code == 0 else { throw Program.Failure(description: result.errors) }
        return result.output.trimmingCharacters(in: .newlines)
    }
}
