import CommandLineKit
import Foundation
import SkyImage

extension ScanCommand {
    /// The outputs, after a look at whether they can be written when the scan is done.
    func prepareOutputs() throws -> [CatalogueOutput] {
        try refuseClashes()
        do {
            return try options.outputs.map { name in
                let output = try CatalogueOutput(path: name, overwrite: options.overwrite)
                if !options.dryRun { try output.prepare() }
                return output
            }
        } catch let error as OutputError {
            throw CommandError(.output, error.description)
        }
    }

    /// Refuses an output that would replace an input or another output, whatever name each goes by.
    private func refuseClashes() throws {
        let detection = options.detection
        let inputs = [
            ("image", Self.file(of: options.image)), ("mask", detection.mask.flatMap(Self.file)),
            ("weight map", detection.weight.flatMap(Self.file)), ("kernel", detection.kernel),
        ].compactMap { kind, path in path.map { (kind, Self.realPath($0)) } }
        var seen: [String: String] = [:]
        for output in options.outputs + options.page.paths {
            let path = output == "-" ? output : Self.realPath(output)
            if let (kind, _) = inputs.first(where: { $0.1 == path }) {
                throw CommandError(.output, "\(output): is the \(kind) itself; name another file")
            }
            if let other = seen.updateValue(output, forKey: path) {
                throw UsageError("--output: \"\(other)\" and \"\(output)\" are the same file; name each output once")
            }
        }
    }

    private static func file(of image: String) -> String? { try? ImageLocation(image).path }

    /// The path with symbolic links followed, as far as it exists.
    private static func realPath(_ path: String) -> String {
        if let real = realpath(path, nil) {
            defer { free(real) }
            return String(cString: real)
        }
        let url = URL(fileURLWithPath: path)
        let folder = url.deletingLastPathComponent().path
        return folder == url.path ? folder : realPath(folder) + "/" + url.lastPathComponent
    }
}
