package import CommandLineKit
import Console
import Foundation
import ScanBasics

/// `skyfarm scan`: finds the sources of images and writes their catalogues.
package struct ScanCommand: Command {
    package var options: Options

    /// A scan with these options.
    package init(options: Options) { self.options = options }

    package init(_ arguments: Arguments) throws(UsageError) { options = try Options(arguments) }

    package func run() async throws -> ExitCode {
        var command = self
        for warning in try command.options.columns?.load() ?? [] { options.log.write(.warning, StyledText(warning)) }
        try command.options.forced?.load()
        try command.options.validateDetection()
        try command.options.calibration?.load()
        if command.options.images.watches {
            try command.validateCalibration([])
            return try await command.watch()
        }
        let list = try InputList(
            options.inputs, isRecursive: options.images.isRecursive, standardInput: StandardInput.text)
        let named = try list.required(isStrict: options.images.isStrict)
        try command.validateCalibration(named)
        let files = try await command.expanded(named)
        let sole = try command.soleFile(of: list)
        let outputs = try OutputPlans(command.options, files: files, isSole: sole != nil)
        try command.refuseClashes(files, outputs)
        guard let sole else { return try await command.scanImages(of: files, outputs, leftOut: list.leftOut) }
        let image: SoleImage
        do {
            image = try command.open(sole)
        } catch {
            throw try command.reported(CommandError(error, in: "scan"), of: sole)
        }
        return try await command.scanImages(of: files, outputs, image)
    }
}
