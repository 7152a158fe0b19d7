import CommandLineKit
import Foundation

extension NodeService {
    /// Returns the property list for launchd, for a user with this home folder; see launchd.plist(5). The job is
    /// disabled, so that login does not start it before the user enables it.
    package func launchdJob(home: String) throws -> String {
        let job = LaunchdJob(
            Label: Self.name, ProgramArguments: command, Disabled: true, RunAtLoad: true,
            KeepAlive: .init(SuccessfulExit: false), ThrottleInterval: 10, ExitTimeOut: 90, Umask: 0o077,
            StandardErrorPath: home + "/Library/Logs/\(Self.name).log")
        let encoder = PropertyListEncoder()
        encoder.outputFormat = .xml
        return String(decoding: try encoder.encode(job), as: UTF8.self)
    }
}

/// Keys of launchd.plist(5), with their original spelling.
private struct LaunchdJob: Encodable {
    var Label: String
    var ProgramArguments: [String]
    var Disabled: Bool
    var RunAtLoad: Bool
    var KeepAlive: KeepAlive
    /// In seconds.
    var ThrottleInterval: Int
    /// Time in which running tasks may finish, in seconds.
    var ExitTimeOut: Int
    var Umask: Int
    var StandardErrorPath: String

    struct KeepAlive: Encodable {
        var SuccessfulExit: Bool
    }
}
