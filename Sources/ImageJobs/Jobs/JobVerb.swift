import CalibrationCommand
package import CommandLineKit
import Console
import ImageScanning
import MapCommand
import ScanBasics
import SkyFITS

/// A command that a node runs as a job, and that can be a step of a file of steps.
package enum JobVerb: String, CaseIterable, Codable, Sendable {
    case scan, combine, calibrate, map

    private var type: any Command.Type {
        switch self {
        case .scan: ScanCommand.self
        case .combine: CombineCommand.self
        case .calibrate: CalibrateCommand.self
        case .map: MapCommand.self
        }
    }

    package var spec: CommandSpec { type.spec }

    /// Flags with which the command goes on if an earlier run of it has written some of its files. These are replaced
    /// without a flag: ``OutputRecord`` knows them.
    package var flagsAgain: [String] { self == .map ? ["--resume"] : [] }

    /// Flags with which the command does again what earlier runs have done.
    package var flagsAnew: [String] { self == .scan ? ["--fresh"] : [] }

    /// Parses and checks the words that follow the command's name.
    /// - Throws: `UsageError`.
    package func arguments(_ words: [String]) throws(UsageError) -> Arguments { try type.arguments(words) }

    /// Checks parsed arguments as the command does.
    /// - Throws: `UsageError`.
    package func check(_ arguments: Arguments) throws(UsageError) { _ = try type.init(arguments) }

    /// Returns the paths of the files that the command reads: its inputs, and those that options name.
    /// - Throws: `CommandError` or others, if an input is not there.
    package func inputs(_ arguments: Arguments) throws -> [String] {
        var paths = try inputFiles(arguments)
        if self != .map {
            paths += arguments.positionals.filter { $0.hasPrefix("@") }.map { String($0.dropFirst()) }
        }
        for option in spec.options where option.files?.mode == .reads {
            for name in (arguments.flags[option.name] ?? []).flatMap({ option.files?.names($0.text) ?? [] }) {
                let path = (try? ImageLocation(name).path) ?? name
                if FileStatus(path: path)?.kind == .regular { paths.append(path) }
            }
        }
        return paths
    }

    /// Returns the paths of its inputs.
    /// - Throws: `CommandError` or others, if an input is not there.
    func inputFiles(_ arguments: Arguments) throws -> [String] {
        if self == .map { return try MapCommand.inputs(of: arguments) }
        let isRecursive = arguments.flags["recursive"] != nil
        return try InputList(arguments.positionals, isRecursive: isRecursive, standardInput: { "" }).files.map(\.path)
    }

    /// Runs the command with the words that follow its name; an error is one line on standard error.
    /// - Returns: its exit code.
    package func run(
        _ words: [String], _ environment: [String: String], _ settings: SettingsFile
    ) async -> ExitCode {
        await type.run(words, environment, settings)
    }

    /// Returns why arguments cannot be those of a command without a terminal; nil if they can.
    package func problem(_ arguments: Arguments) -> String? {
        let outputs = self == .scan ? (try? ScanCommand.Options(arguments))?.outputs ?? [] : []
        if outputs.contains("-") || arguments.flags["output"]?.contains(where: { $0.text == "-" }) == true {
            return "name the results with -o FILE or -o FOLDER/"
        }
        let lists = arguments.positionals + (arguments.flags["items"] ?? []).map(\.text)
        if lists.contains("-") { return "a list on standard input is not kept; use @FILE" }
        return arguments.flags["dry-run"] == nil ? nil : "--dry-run belongs to skyfarm \(rawValue)"
    }
}
