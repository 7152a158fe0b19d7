import CProgramBox
import Foundation
import ScanBasics

/// Reads what a program has left in its place. Files are opened beneath the folder, and links are not followed.
struct ProgramResultReader {
    private let task: ProgramTask
    private let limits: ProgramTaskLimits
    private let owner: ProgramLimits

    init(_ task: ProgramTask, _ limits: ProgramTaskLimits, _ owner: ProgramLimits) {
        (self.task, self.limits, self.owner) = (task, limits, owner)
    }

    /// Why a run has no outputs.
    private struct Problem: Error {
        var text: String
    }

    func output(of result: ProgramResult, in place: ProgramPlace) throws -> ProgramOutput {
        var output = ProgramOutput(end: end(of: result, in: place))
        (output.seconds, output.processorSeconds) = (result.seconds, result.processorSeconds)
        output.killed = result.killed
        if output.failure(okCodes: task.okCodes) == nil {
            do {
                try add(to: &output, in: place)
            } catch let problem as Problem {
                (output.problem, output.files, output.contents) = (problem.text, [], [])
            }
        }
        if !task.returnsOutput || output.failure(okCodes: task.okCodes) != nil {
            output.lastOutput = Self.lastLines(of: place.output)
        }
        output.lastErrors = Self.lastLines(of: place.errors)
        return output
    }

    private func end(of result: ProgramResult, in place: ProgramPlace) -> ProgramOutput.End {
        switch result.end {
        case skyfarm_program_ended:
            // The limit may have ended a child of the program, which then reports that in its own way.
            if !task.okCodes.contains(result.value), isFull(place) {
                return .stopped("wrote more than \(words(owner.disk)) to its folder")
            }
            if result.value < 0 { return .signalled(-result.value) }
            // What they would still have written is missing.
            if result.killed > 0, task.okCodes.contains(result.value) {
                return .stopped("ended and left \(result.killed) processes running, which were killed")
            }
            return .exited(result.value)
        case skyfarm_program_not_started:
            return .stopped("cannot be started: \(String(cString: strerror(result.value)).lowercased())")
        case skyfarm_program_out_of_time: return .stopped("took longer than \(owner.seconds) s")
        case skyfarm_program_out_of_memory:
            return .stopped("used more than \(words(owner.mostMemory)) of memory")
        case skyfarm_program_out_of_disk: return .stopped("wrote more than \(words(owner.disk)) to its folder")
        case skyfarm_program_out_of_processes: return .stopped("ran more than \(owner.processes) processes")
        default: return .stopped("was cancelled")
        }
    }

    /// Whether the files of a program reached the limit.
    private func isFull(_ place: ProgramPlace) -> Bool {
        let streams = [place.output, place.errors].compactMap { $0.status?.size }.reduce(0, +)
        let folder = skyfarm_tree_bytes(place.folder.number, 200_000)
        return folder == .max || folder + UInt64(streams) >= owner.disk
    }

    private func words(_ bytes: UInt64) -> String {
        bytes >= 10 << 20 ? "\(bytes >> 20) MiB" : "\(bytes >> 10) KiB"
    }

    private func add(to output: inout ProgramOutput, in place: ProgramPlace) throws {
        var paths = task.outputs
        if task.collects {
            let known = Set(task.inputs.map(\.name))
            var search = ConfinedSearch(limit: 100_000)
            paths += ConfinedFolders.files(below: place.folder, "", &search).map { String($0.dropFirst()) }
                .filter { path in
                    !known.contains(path) && !task.outputs.contains(path)
                        && !path.hasPrefix(ProgramTask.sharedFolder + "/")
                }
            if let folder = search.unreadable.min() {
                throw Problem(text: "wrote a folder that cannot be read: .\(folder)")
            }
            if let path = search.unnameable.min() {
                throw Problem(text: "wrote a file whose name is not UTF-8: .\(path); have it use names in UTF-8")
            }
            if search.isExhausted || paths.count > limits.collected + task.outputs.count {
                throw Problem(text: "wrote more than \(limits.collected) files")
            }
            if let path = paths.first(where: { !ProgramPath.isBelow($0) }) {
                throw Problem(text: "wrote a file whose name cannot be used: \(path)")
            }
        }
        for path in paths { try add(path, to: &output, in: place) }
        if task.returnsOutput { output.contents += try bytes(of: place.output, "standard output", output) }
    }

    private func add(_ path: String, to output: inout ProgramOutput, in place: ProgramPlace) throws {
        let file: OpenDescriptor
        do throws(ConfinedPath.Refusal) {
            file = try ConfinedPath(folder: place.folder, root: place.path, rest: path).open()
        } catch {
            let words =
                error.errno == ENOENT
                ? "did not write \(path)"
                : error.errno == EACCES ? "\(path) is a link or no regular file" : "\(path) cannot be read: \(error)"
            throw Problem(text: words)
        }
        let content = try bytes(of: file, path, output)
        output.files.append(
            .init(path: path, size: content.count, checksum: content.withUnsafeBytes(ProgramOutput.checksum)))
        output.contents += content
    }

    private func bytes(of file: OpenDescriptor, _ name: String, _ output: ProgramOutput) throws -> [UInt8] {
        guard let size = file.status?.size else { throw Problem(text: "\(name) cannot be read") }
        guard size <= limits.outputBytes - output.contents.count else {
            throw Problem(text: "its outputs have more than \(words(UInt64(limits.outputBytes)))")
        }
        return try file.bytes(at: 0, count: Int(size))
    }

    /// The last lines of a stream; the first of them may be incomplete.
    private static func lastLines(of file: OpenDescriptor) -> [String] {
        guard let size = file.status?.size, size > 0 else { return [] }
        let limit = ProgramOutput.lineLimit
        let count = min(size, Int64(limit.bytes * limit.count))
        guard let bytes = try? file.bytes(at: size - count, count: Int(count)) else { return [] }
        return bytes.split(separator: UInt8(ascii: "\n")).suffix(limit.count)
            .map { String(decoding: $0.suffix(limit.bytes), as: UTF8.self) }
    }
}
