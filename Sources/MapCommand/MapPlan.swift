import CommandLineKit
import Console
import Foundation
import ProgramTask
import ScanBasics
import SkyFITS
import SkyScan
import TaskJournal

/// What the options make of each item: the files that are sent, the task, and where its results go.
struct MapPlan: Sendable {
    /// A shared file on this machine.
    struct Shared: Sendable {
        var path: String
        var file: ProgramTask.SharedFile
    }

    let options: MapCommand.Options
    let shared: [Shared]
    /// Templates of the outputs.
    private let outputs: [ProgramTemplate]

    /// Reads the shared files and checks the templates.
    /// - Throws: `UsageError`, or `CommandError` if a shared file cannot be read.
    init(_ options: MapCommand.Options) throws {
        self.options = options
        outputs = try Self.outputs(options)
        shared = try options.shared.map(Self.shared)
        if Set(shared.map(\.file.name)).count < shared.count {
            throw UsageError("map: two shared files have the same name")
        }
        try checkFields()
    }

    /// The templates of the files that the program writes: those of `--out`, or that of `-o` if an argument names it.
    private static func outputs(_ options: MapCommand.Options) throws(UsageError) -> [ProgramTemplate] {
        let wantsOutput = options.arguments.contains { $0.fields.contains(.output) }
        if options.output == .standardOutput, !options.outputs.isEmpty || options.collects {
            throw UsageError("map: the files of --out and --collect need a folder: -o FOLDER/, not -o -")
        }
        if case .file(let template) = options.output {
            if options.collects || options.outputs.count > 1 {
                throw UsageError("map: several files of an item need a folder: -o FOLDER/ with a slash at the end")
            }
            if options.outputs.isEmpty, wantsOutput {
                return [try MapCommand.template(MapItem.Member(path: template.text).text)]
            }
        } else if wantsOutput, options.outputs.isEmpty {
            throw UsageError("map: {out} is the first file of --out: name it, as in --out '{stem}.out'")
        }
        return options.outputs
    }

    private static func shared(_ path: String) throws -> Shared {
        guard let data = try? ReadableFiles.current.contents(of: path) else {
            throw MapInputs.onNode(path)
                ?? CommandError(.input, "--shared \(path): cannot be read; check its name and permissions")
        }
        let name = MapItem.Member(path: path).text
        guard ProgramPath.isName(name) else { throw UsageError("map: --shared \(path): name a file") }
        return Shared(
            path: path,
            file: ProgramTask.SharedFile(name: name, size: data.count, checksum: data.withUnsafeBytes(Checksum.of)))
    }

    private func checkFields() throws(UsageError) {
        for template in options.arguments {
            if template.fields.contains(.folder) {
                throw UsageError(
                    "map: \(template.text): a node has no folder {dir}; {in} is the input in the program's folder")
            }
            for case .shared(let name) in template.fields where !shared.contains(where: { $0.file.name == name }) {
                throw UsageError("map: \(template.text): there is no --shared file of the name \(name)")
            }
        }
        let places = if case .file(let template) = options.output { [template] } else { [ProgramTemplate]() }
        for template in outputs + places {
            for field in template.fields {
                switch field {
                case .item, .stem, .number: break
                case .input where options.items == nil: break
                case .input, .output, .folder, .cpus, .shared:
                    throw UsageError("map: \(template.text): the name of a result has no \(field.word)")
                }
            }
        }
        for template in options.companions {
            for field in template.fields where ![.item, .stem, .folder, .number, .input].contains(field) {
                throw UsageError("map: --with \(template.text): the name of an input has no \(field.word)")
            }
        }
    }

    /// Whether the result is the standard output.
    var returnsOutput: Bool { outputs.isEmpty && !options.collects }

    /// The item with its task and its files.
    /// - Throws: `CommandError` if an input is not there, or a name cannot be used.
    func prepared(_ item: MapItem) throws(CommandError) -> PreparedItem {
        var paths = item.members.compactMap(\.path)
        for template in options.companions { paths += item.texts(template, output: "", cpus: 1) }
        var inputs: [ProgramTask.InputFile] = []
        for path in paths {
            let status: FileStatus?
            do { status = try ReadableFiles.current.status(of: path) } catch {
                throw CommandError(.input, error.message)
            }
            guard let status, status.kind == .regular else {
                throw MapInputs.missing(path)
            }
            inputs.append(.init(name: MapItem.Member(path: path).text, size: Int(status.size)))
        }
        let files = outputs.flatMap { item.texts($0, output: "", cpus: 1) }
        let words = options.arguments.flatMap { item.texts($0, output: files.first ?? "", cpus: options.cpus) }
        var task = ProgramTask(
            id: item.index, program: options.program, arguments: words, inputs: inputs, outputs: files)
        task.shared = shared.map(\.file)
        task.collects = options.collects
        task.returnsOutput = returnsOutput
        task.okCodes = options.okCodes
        (task.cpus, task.memory) = (options.cpus, options.memory ?? 0)
        task.seconds = options.timeout.map { $0 / .seconds(1) }
        var checked = task
        // The bytes are read when the task is sent.
        checked.shared = []
        let bytes = inputs.reduce(0) { $0 + $1.size }
        var limits = ProgramTaskLimits()
        limits.slots = options.cpus
        if let problem = checked.problem(limits, bulk: bytes) {
            throw CommandError(.usage, "map: \(item.name): \(problem)")
        }
        let stamps = paths.compactMap { FileStamp(AbsolutePath.of($0)) }
        return try PreparedItem(item: item, paths: paths, stamps: stamps, task: task, places: places(of: item, files))
    }

    /// Paths of the results that are known before the program runs: of the files, or of the standard output.
    /// - Throws: `CommandError` if a batch has more files than names for them.
    private func places(of item: MapItem, _ files: [String]) throws(CommandError) -> [String] {
        switch options.output {
        case .standardOutput: return []
        case .folder(let folder):
            return returnsOutput ? ["\(folder)\(item.members[0].stem).out"] : files.map { folder + $0 }
        case .file(let template):
            let names = item.texts(template, output: "", cpus: 1)
            let folder = options.output.folder ?? ""
            if let name = names.first(where: { !ProgramPath.isBelow(String($0.dropFirst(folder.count))) }) {
                throw CommandError(
                    .usage,
                    "map: \(item.name): the result \(name) would be outside the folder of \(template.text);"
                        + " name results with {stem} or {number}")
            }
            if files.count <= 1 { return [names[0]] }
            guard names.count == files.count else {
                throw CommandError(
                    .usage, "map: several files of an item need a folder: -o FOLDER/ with a slash at the end")
            }
            return names
        }
    }

    /// Path of a file that was collected.
    func place(ofCollected path: String, _ item: MapItem) -> String {
        guard case .folder(let folder) = options.output else { return path }
        return "\(folder)\(item.members[0].stem)/\(path)"
    }

    /// Refuses two items with the same result, a result that is an input, and results that exist.
    /// - Throws: `UsageError`, or `CommandError`.
    func check(_ prepared: [PreparedItem]) throws {
        var owners: [String: String] = [:]
        let inputs = Set((prepared.flatMap(\.paths) + options.shared).map(AbsolutePath.of))
        for item in prepared {
            let folders = options.collects ? [place(ofCollected: "", item.item)] : []
            for place in item.places + folders {
                if let other = owners.updateValue(item.item.name, forKey: AbsolutePath.of(place)) {
                    throw UsageError(
                        "map: \(other) and \(item.item.name) would both write \(place); name results with {number}")
                }
                if inputs.contains(AbsolutePath.of(place)) {
                    throw UsageError("map: \(place) is an input and a result; name another folder")
                }
            }
            // A run of a job checks each collected file when it writes it.
            let places = item.places + (ProcessFiles.knowsOwn ? [] : folders)
            for place in places where !options.replaces && !ProcessFiles.isOwn(place) {
                if ReadableFiles.current.exists(place) { throw AtomicFile.failure(place, EEXIST) }
            }
        }
        if let log = options.jobLog.map(AbsolutePath.of), inputs.contains(log) || owners[log] != nil {
            throw UsageError("map: --joblog \(log) is an input or a result; name another file")
        }
    }
}

/// An item that can be run.
struct PreparedItem: Sendable {
    var item: MapItem
    /// Paths of the input files, in the order of those of the task.
    var paths: [String]
    /// Their sizes and times of change when the run was planned.
    var stamps: [FileStamp]
    var task: ProgramTask
    var places: [String]

    /// The command line, as a shell would have it.
    var commandLine: String { Console.commandLine([task.program] + task.arguments) }

    /// The bytes of the input files, one after the other.
    /// - Throws: ``ProgramRefusal`` if a file has changed its size or cannot be read.
    func read(to bytes: UnsafeMutableRawBufferPointer) throws {
        var rest = bytes[...]
        for (path, input) in zip(paths, task.inputs) {
            let file = try ReadableFiles.current.open(path)
            guard file.status?.size == Int64(input.size) else { throw ProgramRefusal("\(path): has changed its size") }
            let part = UnsafeMutableRawBufferPointer(rebasing: rest.prefix(input.size))
            guard (try? file.read(at: 0, into: part)) == input.size else {
                throw ProgramRefusal("\(path): cannot be read to its end")
            }
            rest = rest.dropFirst(input.size)
        }
    }

    /// Number of bytes of the input files.
    var byteCount: Int { task.inputs.reduce(0) { $0 + $1.size } }
}
