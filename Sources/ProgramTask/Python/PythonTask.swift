package import ScanCluster

/// One call of a function of a Python module that the owner of a node gives away. The value that the function gets
/// travels as the bulk bytes, in the form of `_values.py`.
package struct PythonTask: Codable, Identifiable, Equatable, Sendable {
    /// Place of the item in its run, from 0.
    package var id: Int
    /// `MODULE.NAME` or `MODULE.SUBMODULE.NAME`.
    package var function: String
    /// Number and checksum, XXH3-64, of the bulk bytes.
    package var size: Int
    package var checksum: UInt64
    /// Processors that the function may use.
    package var cpus = 1
    /// Bytes of memory that the function needs; 0 if that is little. It may use what the owner allows.
    package var memory = 0
    /// Longest time of the call in seconds, if the owner of the system does not allow less; nil for the owner's limit.
    package var seconds: Double?

    package init(id: Int, function: String, size: Int, checksum: UInt64) {
        (self.id, self.function, self.size, self.checksum) = (id, function, size, checksum)
    }

    /// The tag of the systems whose owner gives the module of this name away. An owner cannot choose it as a tag.
    package static func tag(of module: String) -> String { tagPrefix + module }

    /// How the tags of modules begin.
    package static let tagPrefix = "python:"

    /// Most bytes of a value or a result.
    package static let valueLimit = 768 << 20

    /// Checks the task before anything is run.
    /// - Parameters:
    ///   - slots: those of the system.
    ///   - bulk: number of bulk bytes that came with the task.
    /// - Returns: why no system may run the task; nil if nothing speaks against it.
    package func problem(slots: Int, bulk: Int) -> String? {
        guard PythonName.module(of: function) != nil else {
            return "a function is asked for as MODULE.NAME, by names that do not begin with _"
        }
        guard (1...max(1, slots)).contains(cpus) else { return "it wants \(cpus) of \(slots) slots" }
        guard memory >= 0 else { return "its memory is negative" }
        if let seconds, !(seconds > 0) { return "its time is no positive number" }
        guard (1...Self.valueLimit).contains(size) else { return "its value has \(size) bytes" }
        return size == bulk ? nil : "its value has another size than its bytes"
    }
}

extension PythonTask: ScanTask {
    package static let typeName = "python.call/1"

    package var requiredTags: Set<String> { [Self.tag(of: PythonName.module(of: function) ?? "")] }

    package var slots: Int { cpus }

    package var requiredMemory: Int { memory }

    package func scan(_ context: ScanContext) throws -> PythonOutput {
        guard let host = PythonHost.current.withLock({ $0 }) else {
            throw ProgramRefusal("this system gives no Python module away")
        }
        return try host.run(self, context)
    }

    package func validate(_ output: PythonOutput) throws { try output.check() }
}

/// The output of a ``PythonTask``: a value, or the reason for which there is none.
package struct PythonOutput: Codable, Equatable, Sendable {
    /// The reason for which there is no result, in one line; nil if there is one.
    package var failure: String?
    /// Last lines of the traceback of a failure.
    package var trace: [String] = []
    /// Last lines that the call has written to standard output and standard error.
    package var log: [String] = []
    /// The result in the form of `_values.py`; empty after a failure.
    package var value: [UInt8] = []
    /// XXH3-64 of ``value``.
    package var checksum: UInt64 = 0
    /// Seconds of the call, with the start of a worker if one was started for it.
    package var seconds = 0.0
    /// Checksum of the module's source, by which versions of it are told apart.
    package var version = ""

    package init() {}

    /// Most lines of the log, and of the trace, and most bytes of each.
    package static let lineLimit = (count: 40, bytes: 1000)

    /// XXH3-64 of bytes.
    package static func checksum(_ bytes: UnsafeRawBufferPointer) -> UInt64 { ProgramOutput.checksum(bytes) }

    /// Refuses a result that cannot be one.
    /// - Throws: ``ProgramRefusal``.
    func check() throws(ProgramRefusal) {
        guard failure == nil ? !value.isEmpty : value.isEmpty else {
            throw ProgramRefusal("the result has no value, or that of a failure has one")
        }
        guard value.withUnsafeBytes(ProgramOutput.checksum) == checksum || failure != nil else {
            throw ProgramRefusal("the checksum of the value is wrong")
        }
        let limit = Self.lineLimit
        guard trace.count <= limit.count, log.count <= limit.count, version.utf8.count <= 64,
            (trace + log + [failure ?? ""]).allSatisfy({ $0.utf8.count <= 4 * limit.bytes })
        else { throw ProgramRefusal("the result has too many lines") }
    }
}
