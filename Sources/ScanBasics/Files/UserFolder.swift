#if canImport(Glibc)
    internal import Glibc
#else
    internal import Darwin
#endif

/// A base folder for a user's files, as in the XDG base directory specification.
package enum UserFolder: String, Sendable {
    case configuration = "XDG_CONFIG_HOME"
    case state = "XDG_STATE_HOME"
    case cache = "XDG_CACHE_HOME"

    /// The default folder, relative to the home directory, if the variable is not set.
    package var fallback: String {
        switch self {
        case .configuration: ".config"
        case .state: ".local/state"
        case .cache: ".cache"
        }
    }

    /// Returns the base folder, or nil if `environment` has neither the variable nor a home directory. A relative path
    /// is ignored, as the specification requires.
    package func base(_ environment: [String: String]) -> String? {
        if let base = environment[rawValue], base.hasPrefix("/") { return base }
        return environment["HOME"].flatMap { $0.isEmpty ? nil : "\($0)/\(fallback)" }
    }

    /// Returns Skyfarm's folder below the base folder.
    package func path(_ environment: [String: String]) -> String? { base(environment).map { $0 + "/skyfarm" } }

    /// Returns the reason why a folder's content cannot be trusted: another user owns it or can write to it. Nil if the
    /// folder is this user's or does not exist.
    package static func distrust(_ path: String) -> String? {
        var status = stat()
        guard stat(path, &status) == 0, status.st_uid != geteuid() || status.st_mode & 0o022 != 0 else { return nil }
        return "\(path): belongs to another user, or others can write to it: `chmod go-w` it if it is yours, or set "
            + "\(state.rawValue) to a folder of this user"
    }
}
