import CommandLineKit
import Foundation
import SkyImage
import SkyScan

extension ScanCommand.Options {
    /// Where the journal is, and what it records of the command.
    struct Journal: Equatable, Sendable {
        /// What the folder of journals follows from.
        var environment: [String: String]
        var forgets: Bool
        var words: [String]

        init(_ arguments: Arguments) throws(UsageError) {
            environment = arguments.environment.filter { ["XDG_STATE_HOME", "HOME"].contains($0.key) }
            forgets = try arguments[ScanCommand.fresh]
            words = arguments.words.filter { !$0.hasPrefix("--fresh") }
        }
    }
}

extension ScanCommand {
    /// What makes this scan the same job as another one.
    func identity(_ reader: ImageReader, _ parameters: ScanParameters) throws(CommandError) -> JobIdentity {
        do {
            let plan = try BandPlan(
                width: reader.summary.width, height: reader.summary.height, parameters: parameters,
                requestedRows: options.bandRows)
            return try JobIdentity(reader: reader, parameters: parameters, plan: plan, software: Skyfarm.software)
        } catch {
            throw CommandError(.input, "\(options.image): \(error)")
        }
    }

    /// Opens the journal, or goes on with that of an earlier run; `notice` is told what the user should know.
    func openJournal(
        _ identity: JobIdentity, notice: @escaping @Sendable (String) -> Void
    ) async throws -> ScanJournal? {
        guard let journal = options.journal else { return nil }
        let folder = try JournalFolder(environment: journal.environment)
        let record = JobRecord(
            identity: identity, words: journal.words, folder: FileManager.default.currentDirectoryPath,
            began: Date().timeIntervalSince1970)
        return try await ScanJournal.open(record, in: folder, forgets: journal.forgets, notice: notice)
    }

    /// What a signal leaves behind, and how to go on.
    func stopped(by signal: Interrupts.Signal, _ journal: ScanJournal?) -> CommandError {
        guard let journal else {
            return CommandError(signal.exitCode, "scan: stopped; no catalogue was written, start it again to repeat it")
        }
        return CommandError(
            signal.exitCode,
            "scan: stopped; no catalogue was written, \(HumanFormat.count(journal.count, "finished task")) kept as job "
                + "\(journal.id): the same command goes on from there")
    }

    /// Tells the journal that the catalogue is written. If it cannot note that, the catalogue is none the worse.
    func finish(_ journal: ScanJournal?, _ result: SkyScanResult, notice: (String) -> Void) async {
        do {
            try await journal?.finish(result)
        } catch {
            notice("\(error)")
        }
    }
}

extension JournalError {
    /// What the process tells its caller.
    var exitCode: ExitCode {
        switch code {
        case .noSpace, .unwritable, .damaged: .output
        default: .failure
        }
    }
}
