package import CommandLineKit
import ScanCluster

extension Layers {
    /// Set by flag, by the variable `SKYFARM_` plus the option's name in capitals, and in the settings file.
    package static let all = Layers.prefix("SKYFARM_")
}

extension FileSpec {
    package static let settings = FileSpec(
        .configuration, "skyfarm/config",
        help:
            "Settings: lines of \"key = value\"; keys are long flags without the dashes. Lines that begin with # are"
            + " comments.")
    package static let key = FileSpec(
        .configuration, "skyfarm/cluster.key",
        help: "The cluster key, created on first use and readable by its owner only.")
    package static let journals = FileSpec(
        .state, "skyfarm/",
        help: "Journals of scans: the finished tasks of each, from which the same command resumes it.")

    package static let fingerprints = FileSpec(
        .cache, "skyfarm/arithmetic",
        help: "Fingerprints of how this machine computes; may be removed, and is then computed again.")

    package static let submitted = FileSpec(
        .state, "skyfarm/jobs/", help: "Submitted jobs: of each its command, log and result.")

    package static let hosts = FileSpec(
        .state, "skyfarm/hosts", help: "Nodes that skyfarm up has started: host, address and name of each.")

    package static let names = FileSpec(
        .state, "skyfarm/names/", help: "Names of the nodes of this machine, which they have again after a restart.")

    private init(_ folder: UserFolder, _ path: String, help: String) {
        self.init(variable: folder.rawValue, fallback: "~/" + folder.fallback, path: path, help: help)
    }
}
