/// Most that a task may ask for. Sizes are in bytes.
package struct ProgramTaskLimits: Equatable, Sendable {
    /// All arguments together; they travel to the supervisor in one message.
    package var argumentBytes = 128 << 10
    package var arguments = 8192
    package var inputs = 4096
    package var shared = 256
    package var outputs = 256
    /// Files that are collected.
    package var collected = 4096
    /// Outputs of a task, which return in one frame.
    package var outputBytes = 768 << 20
    /// Slots of the system, which bound the processors of a task.
    package var slots = 1

    package init() {}
}

extension ProgramTask {
    /// Checks the task before it runs, without creating or reading a file.
    /// - Parameters:
    ///   - limits: those of the system.
    ///   - bulk: number of bulk bytes that came with the task.
    /// - Returns: why no system may run the task; nil if nothing speaks against it.
    package func problem(_ limits: ProgramTaskLimits, bulk: Int) -> String? {
        guard ProgramPath.isProgramName(program) else { return "a program is asked for by a name, not by a path" }
        guard (1...max(1, limits.slots)).contains(cpus) else { return "it wants \(cpus) of \(limits.slots) slots" }
        guard (1...256).contains(okCodes.count) else { return "the list of exit codes is too long or empty" }
        guard memory >= 0 else { return "its memory is negative" }
        if let seconds, !(seconds > 0) { return "its time is no positive number" }
        return problemOfArguments(limits) ?? problemOfNames(limits) ?? problemOfSizes(bulk: bulk)
    }

    private func problemOfArguments(_ limits: ProgramTaskLimits) -> String? {
        if arguments.count > limits.arguments { return "it has \(arguments.count) arguments" }
        if arguments.contains(where: { $0.utf8.contains(0) }) { return "an argument contains a zero byte" }
        let bytes = arguments.reduce(0) { $0 + $1.utf8.count + 1 }
        return bytes > limits.argumentBytes ? "its arguments have \(bytes) bytes" : nil
    }

    private func problemOfNames(_ limits: ProgramTaskLimits) -> String? {
        if inputs.count > limits.inputs { return "it has \(inputs.count) input files" }
        if shared.count > limits.shared { return "it has \(shared.count) shared files" }
        if outputs.count > limits.outputs { return "it has \(outputs.count) output files" }
        let names = inputs.map(\.name)
        if let name = (names + shared.map(\.name)).first(where: { !ProgramPath.isName($0) }) {
            return "\"\(name)\" is not the name of a file"
        }
        if let path = outputs.first(where: { !ProgramPath.isBelow($0) }) {
            return "\"\(path)\" is not the path of a file in the task's folder"
        }
        if Set(names).count < names.count || names.contains(Self.sharedFolder)
            || Set(shared.map(\.name)).count < shared.count || Set(outputs).count < outputs.count
        {
            return "two of its files have the same name"
        }
        return nil
    }

    private func problemOfSizes(bulk: Int) -> String? {
        guard let input = inputBytes, let all = Self.sum(shared.map(\.size)) else {
            return "a file has no valid size"
        }
        let (inputBytes, sharedBytes) = shared.isEmpty ? (bulk, 0) : (inlined.count, bulk)
        if shared.isEmpty, !inlined.isEmpty { return "its input came twice" }
        return input == inputBytes && all == sharedBytes ? nil : "its files have other sizes than its bytes"
    }

    /// Bytes of its input files together; nil if their sizes are not valid.
    package var inputBytes: Int? { Self.sum(inputs.map(\.size)) }

    /// The sum of sizes; nil if one is negative or the sum is too large.
    private static func sum(_ sizes: [Int]) -> Int? {
        var sum = 0
        for size in sizes {
            let (next, isTooLarge) = sum.addingReportingOverflow(size)
            if size < 0 || isTooLarge { return nil }
            sum = next
        }
        return sum
    }
}
