import CommandLineKit
import Foundation

/// The files that a job writes, as far as they exist.
struct JobOutputs {
    /// Absolute, without repetition.
    let names: [String]

    /// The outputs that the job's words name. Catalogues of single images are those of its `log`.
    /// - Throws: `UsageError` for words that are no scan's.
    init(_ job: SubmittedJob, log: String?) throws {
        guard case .run(_, let arguments) = try CommandLineParser(Skyfarm.program).parse(["scan"] + job.words) else {
            names = []
            return
        }
        let options = try ScanCommand.Options(arguments)
        let inputs = options.inputs.flatMap { word in
            let isList = word.hasPrefix("@")
            let name = JobPermit.absolute(isList ? String(word.dropFirst()) : word, job.folder)
            return (try? InputList([isList ? "@" + name : name]) { "" })?.files ?? []
        }
        var all: [String] = []
        for name in JobPermit.written(options) {
            let template = try OutputTemplate(
                name.hasPrefix("{dir}") ? name : JobPermit.absolute(name, job.folder))
            if !template.isPerImage { all += inputs.map { template.name(file: $0.path) } }
        }
        all += log.map { Self.reported(in: $0) }?.map { JobPermit.absolute($0, job.folder) } ?? []
        names = Set(all.flatMap(Self.files)).sorted().prefix(JobFile.limit).map(\.self)
    }

    /// The catalogues whose completion a log reports.
    private static func reported(in log: String) -> [String] {
        guard let text = try? String(contentsOfFile: log, encoding: .utf8) else { return [] }
        return text.split(separator: "\n").filter { $0.contains("\"file-ended\"") }.flatMap { line in
            (try? JSONDecoder().decode(Event.self, from: Data(line.utf8)))?.outputs ?? []
        }
    }

    private struct Event: Decodable { var outputs: [String]? }

    /// The files of a name; of a folder, all in it.
    private static func files(_ name: String) -> [String] {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: name, isDirectory: &isFolder) else { return [] }
        guard isFolder.boolValue else { return [name] }
        let folder = name.hasSuffix("/") ? name : name + "/"
        return (FileManager.default.subpaths(atPath: name) ?? []).map { folder + $0 }
    }
}
