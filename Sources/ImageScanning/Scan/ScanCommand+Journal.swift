package import CommandLineKit
package import Console
import Foundation
import ScanBasics
import SkyExtraction
package import SkyScan
import TaskJournal

extension ScanCommand.Options {
    /// Where the journal is and what it records about the command.
    package struct Journal: Equatable, Sendable {
        /// The variables that determine the folder of journals.
        var environment: [String: String]
        var forgets: Bool
        var words: [String]

        init(_ arguments: Arguments) throws(UsageError) {
            environment = arguments.environment.filter { ["XDG_STATE_HOME", "HOME"].contains($0.key) }
            forgets = try arguments[ScanCommand.fresh]
            words = arguments.words.filter { !$0.hasPrefix("--fresh") }
        }

        /// The folder of journals; nil, with a line for the user, if there is no place for one.
        func folder(notice: (String) -> Void) -> JournalFolder? {
            do throws(JournalError) {
                return try JournalFolder(environment: environment)
            } catch {
                notice("no journal is kept, so that a scan that is stopped starts over: \(error)")
                return nil
            }
        }
    }
}

extension ScanCommand {
    /// The absolute name of an output.
    package static func absolute(_ name: String) -> String {
        name == "-" ? name : AbsolutePath.of(name)
    }

    /// The error of a scan that a signal stopped: what is kept, and how to resume it.
    package func stopped(by signal: Interrupts.Signal, _ journal: ScanJournal?) -> CommandError {
        guard let journal, journal.isKept else {
            return CommandError(
                signal.exitCode, "scan: stopped; no catalogue was written; run the command again to start over")
        }
        return CommandError(
            signal.exitCode,
            "scan: stopped; no catalogue was written; \(HumanFormat.count(journal.count, "finished task")) kept as job "
                + "\(SubmittedRun.current?.id ?? journal.id): run the same command again to resume")
    }
}
