import CommandLineKit
import Console
import Foundation
import ImageJobs
package import ScanBasics
import TaskJournal

/// An input file of a step.
package struct StepInput: Codable, Equatable, Sendable {
    /// Size and time of change, by which an unchanged file is recognised without reading it.
    package var file: WrittenFile
    /// XXH3-64 of the content.
    package var checksum: UInt64

    package init(file: WrittenFile, checksum: UInt64) { (self.file, self.checksum) = (file, checksum) }
}

/// The record of the last run of a step, by which it is decided whether the step runs again. Pure.
package struct StepRecord: Codable, Equatable, Sendable {
    /// The command line.
    package var command: String
    package var inputs: [StepInput]
    /// The files that the step has written and that were there when it ended.
    package var outputs: [WrittenFile] = []
    /// Whether it ended with exit code 0.
    package var isDone = false

    package init(command: String, inputs: [StepInput]) { (self.command, self.inputs) = (command, inputs) }

    /// Compares the last run of a step with what is there now.
    /// - Parameters:
    ///   - next: what its next run would record before it begins.
    ///   - current: the file of this path as it is now; nil if there is none.
    /// - Returns: why the step runs again; nil if it need not.
    package func reason(_ next: StepRecord, current: (String) -> WrittenFile?) -> String? {
        if command != next.command { return "its command has changed" }
        let known = Dictionary(inputs.map { ($0.file.path, $0.checksum) }, uniquingKeysWith: { $1 })
        for input in next.inputs {
            let path = input.file.path
            guard let checksum = known[path] else { return "the input \(path) is new" }
            if checksum != input.checksum { return "the input \(path) has changed" }
        }
        let present = Set(next.inputs.map(\.file.path))
        if let path = inputs.map(\.file.path).first(where: { !present.contains($0) }) {
            return "the input \(path) is gone"
        }
        if !isDone { return "it did not end well" }
        for output in outputs {
            guard let file = current(output.path) else { return "the result \(output.path) is missing" }
            if file != output { return "the result \(output.path) has changed" }
        }
        return nil
    }

    /// A result that is there and is not as the step has written it, so that a further run may not replace it.
    package func changedOutput(current: (String) -> WrittenFile?) -> String? {
        outputs.first { output in current(output.path).map { $0 != output } ?? false }?.path
    }

    /// The file at `path`; nil if there is none.
    package static func file(_ path: String) -> WrittenFile? {
        FileStatus(path: path).map { WrittenFile(path: path, $0) }
    }

    /// The record of a run that begins now, after `last`. Files that have not changed since then are not read.
    /// - Parameters:
    ///   - step: the step.
    ///   - last: the record of its last run; nil if there is none.
    ///   - checkCancellation: is called while files are read; its errors end that.
    /// - Throws: `CommandError` or others, if an input cannot be read.
    package init(of step: Step, after last: StepRecord?, checkCancellation: () throws -> Void) throws {
        let known = Dictionary((last?.inputs ?? []).map { ($0.file.path, $0) }, uniquingKeysWith: { $1 })
        let paths = try step.verb.inputs(try step.verb.arguments(step.words)).map { AbsolutePath.of($0) }
        let inputs = try Set(paths).sorted(by: FolderTree.precedes).map { path -> StepInput in
            guard let file = Self.file(path) else { throw CommandError(.input, "\(path): there is no such file") }
            if let input = known[path], input.file == file { return input }
            do {
                return StepInput(
                    file: file, checksum: try Checksum.ofFile(path, checkCancellation: checkCancellation))
            } catch let error as ConfinedPath.Refusal {
                throw CommandError(.input, path, errno: error.errno)
            }
        }
        self.init(command: step.command, inputs: inputs)
    }
}
