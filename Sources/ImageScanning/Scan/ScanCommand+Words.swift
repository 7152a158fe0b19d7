package import CommandLineKit
import Console

extension ScanCommand {
    /// Runs the scan of these words: an error, of which a request for help is one, is a line on standard error. `settings` is
    /// empty if no settings file counts.
    package static func run(
        _ words: [String], _ environment: [String: String], _ settings: SettingsFile
    ) async -> ExitCode {
        var log = Log(usesColor: Terminal.standardError.usesColor(.auto, environment))
        do {
            var arguments = try Self.arguments(words)
            (arguments.environment, arguments.file) = (environment, settings)
            log = try Log(arguments)
            return try await ScanCommand(arguments).run()
        } catch {
            return log.end(error, of: spec.name)
        }
    }
}
