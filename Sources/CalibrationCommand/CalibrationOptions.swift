import CommandLineKit
import Console
import Foundation
import ImageScanning
import ScanBasics
import SkyCalibration
import SkyFITS

/// The options that `combine` and `calibrate` share.
enum CalibrationOptions {
    static let overwrite = Option.toggle("overwrite", help: "Replace output files that exist")
    static let localSlots = ClusterOptions.localSlots

    /// Number of threads.
    static func slots(_ arguments: Arguments) throws(UsageError) -> Int {
        try arguments[localSlots] ?? ProcessInfo.processInfo.activeProcessorCount
    }

    /// Checks that no input would be lost.
    /// - Throws: `UsageError` if an output is one of the inputs.
    static func check(_ outputs: [String], replaceNone inputs: [String]) throws(UsageError) {
        let inputs = Set(inputs.compactMap(realPath))
        for output in outputs {
            guard let path = realPath(output), inputs.contains(path) else { continue }
            throw UsageError("--output: \(output) is one of the inputs, which would be lost; name another file")
        }
    }

    /// Checks that no frame lies on a node.
    /// - Throws: `CommandError` with the next command.
    static func requireLocal(_ files: [InputList.File], by command: String) throws(CommandError) {
        guard let remote = files.first(where: { $0.node != nil }) else { return }
        throw CommandError(
            .input,
            "\(remote.name): frames on a node are not read by skyfarm \(command); run it on \(remote.node ?? "") with "
                + "\(remote.path), or copy them to this machine")
    }

    static func location(_ name: String?) throws(ImageError) -> ImageLocation? {
        guard let name else { return nil }
        return try ImageLocation(name)
    }
}

extension InputList.File {
    /// The file on this machine, with the selected image.
    var location: ImageLocation { ImageLocation(path: path, selector: selector ?? .firstImage) }
}
