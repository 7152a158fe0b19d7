package import CommandLineKit
import Console
import Foundation
import ImageScanning
import SkyFITS
import SkyScan

/// `skyfarm sex` accepts the command line, configuration and columns of SExtractor and writes its catalogues.
///
/// ``SexArguments`` parses the command line, ``SexConfiguration`` merges the built-in values with the configuration
/// file and the command line, and ``SexOptions`` translates the configuration to the options of a scan, which then runs
/// like `skyfarm scan`. ``SexKey`` lists the supported keys. Readers begin with ``run()``.
package struct SexCommand: Command {
    /// Names of the program under which it runs this command.
    package static let names = ["sex", "source-extractor", "sextractor"]
    /// The version of SExtractor whose settings, columns and formats are supported, in the wording that other programs
    /// parse.
    static let release = "SExtractor version 2.25.0"

    private let arguments: SexArguments
    private let layers: Arguments

    package init(_ arguments: Arguments) throws(UsageError) {
        self.arguments = try SexArguments(arguments.words)
        layers = arguments
    }

    package func run() async throws -> ExitCode {
        switch arguments.listing {
        case .configuration(let isComplete): return try show(SexKey.file(all: isComplete))
        case .columns: return try show(Self.columnList)
        case .version: return try show("\(Self.release) (\(Software.name))\n")
        case nil: break
        }
        // Checked before any file is read, since wrappers find the version in this error.
        if arguments.images.isEmpty {
            throw UsageError("IMAGE is missing: skyfarm sex IMAGE [-c FILE] [-KEY VALUE]..., as \(Self.release)")
        }
        var warnings: [String] = []
        let configuration = configuration(&warnings)
        let options = try SexOptions(configuration, arguments, layers).options
        for warning in warnings + configuration.warnings { options.log.write(.warning, StyledText(warning)) }
        return try await ScanCommand(options: options).run()
    }

    private func show(_ text: String) throws -> ExitCode {
        try StandardOutput.write(text)
        return .complete
    }

    /// Returns the built-in values, overridden by those of the file and of the command line.
    private func configuration(_ warnings: inout [String]) -> SexConfiguration {
        var configuration = SexConfiguration()
        let path = arguments.configuration ?? "default.sex"
        if let data = FileManager.default.contents(atPath: path) {
            configuration.read(
                String(decoding: data, as: UTF8.self), name: path, environment: layers.environment)
        } else {
            warnings.append("\(path): not found; built-in values are used")
        }
        for (key, value) in arguments.settings {
            configuration.set(key, value, origin: "-\(key)", layers.environment)
        }
        return configuration
    }

    /// All columns as comments of a `.param` file.
    private static var columnList: String {
        SExtractorColumn.all.map { column in
            "#\(column.name.padding(toLength: 24, withPad: " ", startingAt: 0)) \(column.comment)"
                + (column.unit.isEmpty ? "" : "  [\(column.unit)]") + "\n"
        }.joined()
    }

    package static let spec = CommandSpec(
        name: "sex",
        summary: "Scan an image under SExtractor's command line and configuration",
        examples: [
            .init(
                line: "skyfarm sex image.fits -c default.sex -CATALOG_TYPE FITS_LDAC -CATALOG_NAME image.ldac",
                explanation: "Scan an image with the configuration of SExtractor; write a catalogue for SCAMP."),
            .init(line: "skyfarm sex -dd", explanation: "Print all keys with their built-in values."),
        ],
        description: [
            "The command line is SExtractor's: an image, -c FILE with the configuration (default.sex if it exists), and"
                + " -KEY VALUE for single keys, which win. -d and -dd print the configuration, -dp the columns, -v the"
                + " version. A key whose value would change the catalogue in a way that skyfarm does not support ends the command with its name;"
                + " Docs/SExtractor.md lists all keys and columns.",
            "Flags of skyfarm scan may be given between, as --flag or --flag=value, such as --node=HOST:PORT or"
                + " --local-slots=4. The scan runs on all nodes of the cluster, and its catalogue does not depend on them.",
            "A symbolic link to skyfarm that is called sex, sextractor or source-extractor is this command.",
        ],
        arguments: [
            ArgumentSpec(
                name: "IMAGE",
                help: "FITS file, of which every 2-D image is scanned, or one HDU in brackets; then SExtractor's"
                    + " -c FILE and -KEY VALUE", isRequired: false, isFile: true, repeats: true)
        ],
        sections: [OptionSection(title: "Options", options: [CommonOptions.help.spec])],
        exitCodes: Set(ExitCode.all), files: [.key, .journals, .fingerprints])
}
