/// One run of a program that the owner of a node has named, on the input files that travel with the task.
///
/// The task has the name of the program, never its path: ``ProgramHost`` of the system that runs the task has the paths.
/// The arguments are data. ``problem(limits:bulk:)`` says what a system checks before it creates a file.
package struct ProgramTask: Codable, Identifiable, Equatable, Sendable {
    /// Place of the item in its run, from 0.
    package var id: Int
    /// Name under which the owner of a node gives the program away.
    package var program: String
    /// The words that follow the program's path, fully expanded.
    package var arguments: [String]
    /// The files that are created in the task's folder, whose bytes follow each other in the bulk bytes or, if those are
    /// the shared files', in ``inlined``.
    package var inputs: [InputFile]
    /// Bytes of the input files of a task with shared files.
    package var inlined: [UInt8] = []
    /// Files that all tasks of the run share: the bulk bytes are those of all of them in this order.
    package var shared: [SharedFile] = []
    /// Paths of the files that the program writes, relative to its folder.
    package var outputs: [String]
    /// Whether all new files of the folder are outputs.
    package var collects = false
    /// Whether the standard output is returned.
    package var returnsOutput = false
    /// Exit codes of success.
    package var okCodes: [Int32] = [0]
    /// Processors that the program may use.
    package var cpus = 1
    /// Bytes of memory that the program needs; 0 if that is little. It may use what the owner allows.
    package var memory = 0
    /// Longest time of the program in seconds, if the owner of the system does not allow less; nil for the owner's limit.
    package var seconds: Double?

    package struct InputFile: Codable, Equatable, Sendable {
        /// Name in the task's folder.
        package var name: String
        /// In bytes.
        package var size: Int

        package init(name: String, size: Int) { (self.name, self.size) = (name, size) }
    }

    /// A file that all tasks of a run share.
    package struct SharedFile: Codable, Equatable, Hashable, Sendable {
        /// Name in the folder ``ProgramTask/sharedFolder`` of the task's folder.
        package var name: String
        /// In bytes.
        package var size: Int
        /// XXH3-64 of the content.
        package var checksum: UInt64

        package init(name: String, size: Int, checksum: UInt64) {
            (self.name, self.size, self.checksum) = (name, size, checksum)
        }
    }

    /// Name of the folder of the shared files in the task's folder.
    package static let sharedFolder = "shared"

    package init(id: Int, program: String, arguments: [String], inputs: [InputFile], outputs: [String]) {
        (self.id, self.program, self.arguments) = (id, program, arguments)
        (self.inputs, self.outputs) = (inputs, outputs)
    }

    /// The tag of the systems whose owner gives the program of this name away. An owner cannot choose it as a tag.
    package static func tag(of program: String) -> String { tagPrefix + program }

    /// How the tags of programs begin.
    package static let tagPrefix = "program:"
}

/// Why a system does not run a task's program.
package struct ProgramRefusal: Error, Equatable, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }
}
