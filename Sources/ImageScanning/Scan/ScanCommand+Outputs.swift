import CommandLineKit
import Foundation
import ScanBasics
import SkyCatalogue
import SkyFITS
import SkyScan

extension ScanCommand.Options {
    /// Files of a scan of one image beside the catalogues.
    var sidePaths: [String] { page.paths + checkImages.map(\.name) }

    /// Gives the outputs of the only image of `file` their names.
    /// - Throws: ``OutputError`` if the folder of a name with fields cannot be made.
    mutating func resolveNames(for file: InputList.File) throws {
        func resolved(_ name: String) throws -> String {
            if name == "-" { return name }
            let template = try OutputTemplate(name)
            return template.hasFields ? try template.folderMade(for: file.path) : name
        }
        outputs = try outputs.map(resolved)
        for index in checkImages.indices { checkImages[index].name = try resolved(checkImages[index].name) }
        page.report = try page.report.map(resolved)
        page.preview = try page.preview.map(resolved)
    }
}

extension ScanCommand {
    /// Refuses an output that is the same file as an input or another output.
    func refuseClashes() throws {
        let detection = options.detection
        let inputs = [
            ("image", Self.file(of: options.image)), ("mask", detection.mask.flatMap(Self.file)),
            ("weight map", detection.weight.flatMap(Self.file)),
            ("weight map", options.detectionMap?.weight.flatMap(Self.file)), ("kernel", detection.kernel),
        ].compactMap { kind, path in path.map { (kind, Self.resolved($0)) } }
        var seen: [String: String] = [:]
        for output in options.outputs + options.sidePaths {
            let path = output == "-" ? output : Self.resolved(output)
            if let (kind, _) = inputs.first(where: { $0.1 == path }) {
                throw CommandError(.output, "\(output): is the \(kind) itself; name another file")
            }
            if let other = seen.updateValue(output, forKey: path) {
                throw UsageError("--output: \"\(other)\" and \"\(output)\" are the same file; name each output once")
            }
        }
    }

    private static func file(of image: String) -> String? { try? ImageLocation(image).path }

    /// The path with the symbolic links of its existing part resolved.
    private static func resolved(_ path: String) -> String {
        if let real = realPath(path) { return real }
        let url = URL(fileURLWithPath: path)
        let folder = url.deletingLastPathComponent().path
        return folder == url.path ? folder : resolved(folder) + "/" + url.lastPathComponent
    }
}
