package import CommandLineKit
import Console
import ScanNetwork

extension JobCluster {
    /// Creates the cluster of the nodes that the options select.
    package init(_ arguments: Arguments) throws(UsageError) {
        self.init(
            nodes: try arguments[NodeOptions.nodes], srv: try arguments[NodeOptions.srv],
            discovers: try !arguments[NodeOptions.noDiscovery], environment: arguments.environment)
    }
}

extension JobsCommand.Options {
    /// Parses the arguments of `priority ID W`.
    package static func priority(_ words: [String]) throws(UsageError) -> Action {
        guard words.count == 3, let weight = Double(words[2]), CoordinatorInfo.weights.contains(weight) else {
            throw UsageError("jobs priority: give an ID and a weight from 0.01 to 100, as in jobs priority 1f0c 2")
        }
        return .priority(words[1], weight)
    }
}

extension JobsCommand {
    package static let spec = CommandSpec(
        name: "jobs",
        summary: "List, watch, pause, resume, cancel, fetch or remove scans",
        examples: [
            .init(
                line: "skyfarm jobs", explanation: "List the jobs of all nodes, and all scans that have a journal here."
            ),
            .init(
                line: "skyfarm jobs watch 1f0c",
                explanation: "Show the progress of a submitted job, of any node, until it ends."),
            .init(
                line: "skyfarm jobs show 1f0c --failed",
                explanation: "List the files that could not be scanned, with the reasons."),
            .init(
                line: "skyfarm jobs fetch 1f0c -o results/",
                explanation: "Copy the catalogues that a job wrote on another machine."),
            .init(
                line: "skyfarm jobs resume 1f0c",
                explanation: "Resume the job whose ID begins with 1f0c, in the folder where it was started."),
            .init(
                line: "skyfarm jobs resume 1f0c --on beta",
                explanation: "Have the node beta continue a job whose node is lost."),
            .init(
                line: "skyfarm jobs remove --all",
                explanation: "Remove the journals of all jobs, after a question if some are unfinished."),
        ],
        description: [
            "A journal keeps the result of every finished task until the catalogue is written. The same command on the"
                + " same image resumes the scan, and so does jobs resume, which has the exit codes of skyfarm-scan(1)."
                + " The journal of many images keeps which files are done.",
            "A job is finished when everything was tried; show ID --failed lists the files that failed, with the reasons,"
                + " and resume tries them again. It is failed if no file could be scanned. The record of a job is kept. A"
                + " partial job keeps its results as well: the same command retries the missing sectors.",
            "The list has each job once, newest first: scans of this machine, and jobs of skyfarm-submit(1) of this machine"
                + " and of each node that answers within 0.8 s; a command for one job waits for up to 10 s for its node. The nodes are those that the node"
                + " of this machine has discovered, or else those that are discovered now, and those of --node and --srv.",
            "watch shows the progress of one job, of any node, as skyfarm-scan(1) does until it ends, and has the exit"
                + " code of its scan; wait waits for several, and has the first exit code that is not 0. pause ends the"
                + " process of a job, which keeps its journal, and resume has it run again, also after cancel or a failure."
                + " priority ID W changes the weight of --priority-weight, also of a job that runs: from the next task"
                + " that each node gets. fetch copies the files that a job wrote to this machine, checks their checksums, and"
                + " prints their names. remove forgets a job that does not run, with its log and journal, not its catalogues; of"
                + " another node only one that was submitted from another machine. run is what the node starts.",
            "A job in a folder of skyfarm node --accept-jobs that several nodes share is not lost with its node: once"
                + " that has been silent for 10 s, or its --job-lease, the state is lost, and resume ID --on NODE has"
                + " another node continue it from the journal. A node that was only held up ends its run when it finds"
                + " that another one has taken the job over.",
        ],
        arguments: [
            ArgumentSpec(
                name: "ACTION",
                help: "list (the default), show, watch, wait, pause, resume, cancel, priority, fetch, remove or run",
                isRequired: false,
                choices: Options.Action.names),
            ArgumentSpec(
                name: "ID", help: "the job's ID, or its first characters; with wait one or more", isRequired: false,
                repeats: true),
        ],
        sections: [
            OptionSection(
                title: "Options", options: [on.spec, output.spec, overwrite.spec, failed.spec, all.spec, yes.spec]),
            OptionSection(
                title: "Nodes", options: [NodeOptions.nodes.spec, NodeOptions.srv.spec, NodeOptions.noDiscovery.spec]),
            CommonOptions.section,
        ],
        exitCodes: Set(ExitCode.all), files: [.journals, .submitted])
}
