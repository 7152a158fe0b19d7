/// A file that Skyfarm reads or keeps, below a folder that the environment may name.
struct FileSpec: Sendable {
    /// Environment variable that names the folder.
    var variable: String
    /// The folder if it does not.
    var fallback: String
    var path: String
    var help: String

    static let settings = FileSpec(
        variable: "XDG_CONFIG_HOME", fallback: "~/.config", path: "skyfarm/config",
        help:
            "Settings: lines of \"key = value\", keys being long flags without the dashes. Lines that begin with # are"
            + " left out.")
    static let key = FileSpec(
        variable: "XDG_CONFIG_HOME", fallback: "~/.config", path: "skyfarm/cluster.key",
        help: "The cluster key, made on first use and closed to others.")
    static let journals = FileSpec(
        variable: "XDG_STATE_HOME", fallback: "~/.local/state", path: "skyfarm/",
        help: "Journals of scans: what is finished of each, for the same command to go on with.")
}
