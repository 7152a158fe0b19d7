package import CommandLineKit
import Console
import Foundation
import ImageScanning
import ScanBasics
import SkyCalibration
import SkyFITS

/// `skyfarm combine` makes a master of frames: a bias, a dark or a flat.
///
/// ``Options`` reads the flags, and `MasterStack` does the work on this machine.
package struct CombineCommand: Command {
    package let options: Options

    package init(_ arguments: Arguments) throws(UsageError) { options = try Options(arguments) }

    package func run() async throws -> ExitCode {
        let files = try InputList(options.frames, standardInput: StandardInput.text).required()
        let request = try options.request(for: Self.inOrder(files))
        let start = ContinuousClock.now
        let inputs = request.frames + [request.bias, request.dark].compactMap(\.self) + request.masks.joined()
        try CalibrationOptions.check([options.output], replaceNone: inputs.map(\.path))
        try options.report?.check(outputs: [options.output], inputs: inputs.map(\.path))
        try AtomicFile.check(path: options.output, overwrite: options.overwrite)
        try options.report?.prepare()
        let display = ProgressDisplay(options.common, options.log)
        let interrupts = Interrupts(beforeExit: display.abandon)
        defer { display.finish() }
        do {
            let stack = try MasterStack(request)
            display.handle(.stage("combine"))
            try stack.write(to: options.output, overwrite: options.overwrite) { _ in try interrupts.check() }
        } catch is CancellationError {
            throw CommandError(interrupts.received?.exitCode ?? .interrupted, "combine: stopped; nothing was written")
        } catch let failures as FrameFailures {
            throw CommandError(.input, "\(failures.description); nothing was written")
        }
        display.finish()
        try report(request, seconds: (ContinuousClock.now - start) / .seconds(1))
        let master = ShownMaster(role: "master", location: ImageLocation(path: options.output, selector: .firstImage))
        try options.report?.write(options.output, [], ShownMaster.sections([master]))
        return .complete
    }

    /// The files in the order in which their values are added: by the bytes of their names, then of their paths.
    static func inOrder(_ files: [InputList.File]) throws(CommandError) -> [InputList.File] {
        try CalibrationOptions.requireLocal(files, by: "combine")
        return files.sorted { first, second in
            let names = (InputList.lastName(of: first.path), InputList.lastName(of: second.path))
            if names.0 != names.1 { return FolderTree.precedes(names.0, names.1) }
            return FolderTree.precedes(first.name, second.name)
        }
    }

    private func report(_ request: StackRequest, seconds: Double) throws {
        if options.common.json {
            let report = Report(
                output: options.output, frames: request.frames.map(\.description), method: request.method.name,
                scale: request.scale.name, seconds: seconds)
            try StandardOutput.write(JSONOutput.document(report))
        } else {
            let count = HumanFormat.count(request.frames.count, "frame")
            options.log.conclude("\(options.output): \(request.method.name) of \(count)")
        }
    }

    private struct Report: Encodable {
        var v = 1
        var output: String
        var frames: [String]
        var method: String
        var scale: String
        var seconds: Double
    }
}
