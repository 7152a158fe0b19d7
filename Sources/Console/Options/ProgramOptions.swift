package import CommandLineKit
import Foundation
package import ProgramTask

/// A program that an owner gives away: `NAME=PATH`.
package struct NamedProgram: Equatable, Sendable {
    package var name: String
    /// An absolute path.
    package var path: String

    /// Returns nil unless the text has a valid name and an absolute path.
    package init?(_ text: String) {
        let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
        guard parts.count == 2, ProgramPath.isProgramName(parts[0]), parts[1].hasPrefix("/") else { return nil }
        (name, path) = (parts[0], parts[1])
    }
}

/// The programs that a process runs for tasks, with their limits.
package struct ProgramOptions: Equatable, Sendable {
    package var programs: [NamedProgram]
    package var limits: ProgramLimits
    package var scratch: String?

    /// Reads the options, of which `option` names the programs.
    /// - Throws: `UsageError` if a name is given twice.
    package init(_ arguments: Arguments, _ option: Option<[NamedProgram]>) throws(UsageError) {
        programs = try arguments[option]
        limits = try Self.limits(arguments)
        scratch = try arguments[Self.scratch]
        if let twice = Dictionary(grouping: programs, by: \.name).first(where: { $0.value.count > 1 }) {
            throw UsageError("--\(option.spec.name): two programs have the name \(twice.key)")
        }
    }

    /// Makes the host of the programs this process's; there is none if no program is named.
    /// - Parameters:
    ///   - slots: number of tasks that run at a time.
    ///   - niceness: added to the nice value of the programs.
    ///   - environment: variables of this process.
    /// - Returns: the host; nil if no program is named.
    /// - Throws: `CommandError` if a program or the folder cannot be used.
    package func host(
        slots: Int, niceness: Int = 0, environment: [String: String]
    ) throws(CommandError) -> ProgramHost? {
        if programs.isEmpty { return nil }
        var options = ProgramHost.Options(
            programs: Dictionary(programs.map { ($0.name, $0.path) }, uniquingKeysWith: { $1 }))
        options.limits = limits
        options.limits.niceness = Int32(niceness)
        (options.scratch, options.slots) = (scratch, slots)
        do throws(ProgramRefusal) {
            let host = try ProgramHost(options, environment: environment)
            ProgramHost.current.withLock { $0 = host }
            return host
        } catch {
            throw CommandError(.input, error.description)
        }
    }

    package static let memory = Option.optional(
        "program-memory", .bytes, fallback: "three quarters of the machine's", layers: .all,
        help: "Memory of all processes of a program together; each process has no more address space")
    package static let time = Option.optional(
        "program-time", .duration, fallback: "24h", layers: .all,
        help: "Time after which a program is ended")
    package static let disk = Option.optional(
        "program-disk", .bytes, fallback: "10G", layers: .all,
        help: "Size of all files that a program writes to its folder")
    package static let scratch = Option.optional(
        "scratch", .text("DIR", expected: "the name of a folder"), fallback: "the system's for temporary files",
        layers: .all, help: "Folder below which each run of a program has a folder of its own")

    /// Reads the limits, which hold for programs and for the workers of Python modules.
    static func limits(_ arguments: Arguments) throws(UsageError) -> ProgramLimits {
        var limits = ProgramLimits()
        limits.memory = try arguments[Self.memory]
        if let time = try arguments[Self.time] { limits.seconds = time / .seconds(1) }
        if let disk = try arguments[Self.disk] { limits.disk = UInt64(disk) }
        return limits
    }

    /// The limits in the order of the help.
    package static let limitOptions = [memory.spec, time.spec, disk.spec, scratch.spec]
}

extension ValueForm where Value == NamedProgram {
    /// Parses `NAME=PATH`.
    package static var program: ValueForm {
        ValueForm(
            placeholder: "NAME=PATH",
            expected: "a name of up to 56 letters, digits, '-', '_' and '.', and an absolute path, as in"
                + " psfex=/usr/bin/psfex",
            parse: { NamedProgram($0) }, show: { "\($0.name)=\($0.path)" })
    }
}
