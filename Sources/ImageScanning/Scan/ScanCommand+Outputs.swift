import CommandLineKit
import Foundation
import ScanBasics
import SkyCatalogue
import SkyFITS
import SkyScan

extension ScanCommand {
    /// Refuses an output that is the same file as an input or another output, whatever their names are.
    func refuseClashes(_ files: [InputList.File], _ outputs: OutputPlans) throws {
        var folders = RealFolders()
        var inputs: [String: String] = [:]
        for (kind, path) in inputFiles(files) { inputs[folders.realName(of: path)] = kind }
        var seen: [String: String] = [:]
        for output in files.flatMap({ outputs.names(of: $0) }) {
            let path = output == "-" ? output : folders.realName(of: output)
            if let kind = inputs[path] {
                throw CommandError(.output, "\(output): is the \(kind) itself; name another file")
            }
            if let other = seen.updateValue(output, forKey: path) {
                throw UsageError("--output: \"\(other)\" and \"\(output)\" are the same file; name each output once")
            }
        }
    }

    /// The files of this machine that the scan of `files` reads.
    private func inputFiles(_ files: [InputList.File]) -> [(kind: String, path: String)] {
        let detection = options.detection
        let maps = [
            ("mask", detection.mask), ("weight map", detection.weight), ("weight map", options.detectionMap?.weight),
        ]
        let single = [("kernel", detection.kernel), ("image", options.detectionImage.flatMap(Self.file))]
        let local = files.filter { $0.node == nil }
        return local.map { ("image", $0.path) }
            + maps.flatMap { kind, name in
                // A name that is wrong is reported when the map is opened.
                guard let name, let template = try? OutputTemplate(name) else { return [(String, String)]() }
                let names = template.hasFields ? local.map { template.name(file: $0.path) } : [name]
                return names.compactMap { Self.file(of: $0).map { (kind, $0) } }
            } + single.compactMap { kind, path in path.map { (kind, $0) } }
    }

    private static func file(of image: String) -> String? { try? ImageLocation(image).path }
}

/// Names with the symbolic links of their existing part resolved; each folder is looked at once.
private struct RealFolders {
    private var known: [String: String] = [:]

    mutating func realName(of path: String) -> String {
        if let real = realPath(path) { return real }
        let url = URL(fileURLWithPath: path)
        let folder = url.deletingLastPathComponent().path
        if folder == url.path { return folder }
        let real = known[folder] ?? realName(of: folder)
        known[folder] = real
        return real + "/" + url.lastPathComponent
    }
}
