internal import CXXHash

/// What came of a ``ProgramTask``.
package struct ProgramOutput: Codable, Equatable, Sendable {
    /// How the program ended.
    package enum End: Codable, Equatable, Sendable {
        /// With this exit code.
        case exited(Int32)
        /// By this signal.
        case signalled(Int32)
        /// It was ended, or not started, for this reason.
        case stopped(String)
    }

    /// A file that the program has written.
    package struct File: Codable, Equatable, Sendable {
        /// Path relative to the task's folder.
        package var path: String
        /// In bytes.
        package var size: Int
        /// XXH3-64 of the content.
        package var checksum: UInt64

        package init(path: String, size: Int, checksum: UInt64) {
            (self.path, self.size, self.checksum) = (path, size, checksum)
        }
    }

    package var end: End
    /// Why the outputs are not there although the program ended well; nil if it did not, or they are.
    package var problem: String?
    /// Files in the order of ``ProgramTask/outputs``, or of their paths. Empty if the program failed.
    package var files: [File] = []
    /// Content of the files, one after the other, then that of the standard output if the task asks for it.
    package var contents: [UInt8] = []
    /// Last lines of the standard output and of the standard error.
    package var lastOutput: [String] = []
    package var lastErrors: [String] = []
    /// Seconds between the start of the program and the end of its last process.
    package var seconds = 0.0
    /// Processor time in seconds.
    package var processorSeconds = 0.0
    /// Processes that were killed after the program had ended.
    package var killed = 0

    package init(end: End) { self.end = end }

    /// Why the run is not a success; nil if it is one.
    package func failure(okCodes: [Int32]) -> String? {
        switch end {
        case .exited(let code): okCodes.contains(code) ? problem : "exit code \(code)"
        case .signalled(let number): "ended by signal \(number)"
        case .stopped(let reason): reason
        }
    }

    /// The content of the file at `index` of ``files``, or the standard output if there is no such file.
    package func content(at index: Int) -> ArraySlice<UInt8> {
        let start = files.prefix(index).reduce(0) { $0 + $1.size }
        return index < files.count ? contents[start..<start + files[index].size] : contents[start...]
    }

    /// Longest line, and number of lines, of each stream that a result carries.
    package static let lineLimit = (bytes: 1000, count: 20)

    static func checksum(_ bytes: UnsafeRawBufferPointer) -> UInt64 { XXH3_64bits(bytes.baseAddress, bytes.count) }

    /// Refuses a result that cannot be that of the task.
    /// - Throws: ``ProgramRefusal``.
    func check(of task: ProgramTask) throws(ProgramRefusal) {
        if !files.isEmpty, failure(okCodes: task.okCodes) != nil {
            throw ProgramRefusal("the result of a failed program has files")
        }
        guard files.count <= task.outputs.count + (task.collects ? ProgramTaskLimits().collected : 0) else {
            throw ProgramRefusal("the result has too many files")
        }
        var rest = contents.count
        for file in files {
            guard file.size >= 0, file.size <= rest else { throw ProgramRefusal("the sizes of the files are wrong") }
            rest -= file.size
            guard ProgramPath.isBelow(file.path), task.collects || task.outputs.contains(file.path) else {
                throw ProgramRefusal("the result has a file that was not asked for")
            }
        }
        guard rest == 0 || task.returnsOutput else { throw ProgramRefusal("the result has bytes of no file") }
        let paths = Set(files.map(\.path))
        guard paths.count == files.count else { throw ProgramRefusal("a file is there twice") }
        guard failure(okCodes: task.okCodes) != nil || paths.isSuperset(of: task.outputs) else {
            throw ProgramRefusal("a file that was asked for is missing")
        }
        for (index, file) in files.enumerated()
        where content(at: index).withUnsafeBytes(Self.checksum) != file.checksum {
            throw ProgramRefusal("the checksum of \(file.path) is wrong")
        }
        let lines = lastOutput + lastErrors
        guard lines.count <= 2 * Self.lineLimit.count, lines.allSatisfy({ $0.utf8.count <= 4 * Self.lineLimit.bytes })
        else { throw ProgramRefusal("the result has too many lines") }
    }
}
