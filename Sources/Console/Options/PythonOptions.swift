package import CommandLineKit
import Foundation
package import ProgramTask

/// The Python modules of which a process calls functions for tasks, with the limits of ``ProgramOptions``.
package struct PythonOptions: Equatable, Sendable {
    package var modules: [PythonModule]
    private var limits: ProgramLimits
    private var scratch: String?

    /// Reads the options, of which `option` names the modules.
    /// - Throws: `UsageError` if a name is given twice.
    package init(_ arguments: Arguments, _ option: Option<[PythonModule]>) throws(UsageError) {
        modules = try arguments[option]
        limits = try ProgramOptions.limits(arguments)
        scratch = try arguments[ProgramOptions.scratch]
        if let twice = Dictionary(grouping: modules, by: \.name).first(where: { $0.value.count > 1 }) {
            throw UsageError("--\(option.spec.name): two modules have the name \(twice.key)")
        }
    }

    /// Makes the host of the modules this process's; there is none if no module is named.
    /// - Parameters:
    ///   - slots: number of calls that run at a time.
    ///   - niceness: added to the nice value of the workers.
    ///   - environment: variables of this process.
    /// - Returns: the host; nil if no module is named.
    /// - Throws: `CommandError` if a module, an interpreter or the folder cannot be used.
    package func host(
        slots: Int, niceness: Int = 0, environment: [String: String]
    ) throws(CommandError) -> PythonHost? {
        if modules.isEmpty { return nil }
        var options = PythonHost.Options(modules: modules)
        options.limits = limits
        options.limits.niceness = Int32(niceness)
        (options.scratch, options.slots) = (scratch, slots)
        do throws(ProgramRefusal) {
            let host = try PythonHost(options, environment: environment)
            PythonHost.current.withLock { $0 = host }
            return host
        } catch {
            throw CommandError(.input, error.description)
        }
    }
}

extension ValueForm where Value == PythonModule {
    /// Parses `NAME=PATH[,INTERPRETER]`.
    package static var pythonModule: ValueForm {
        ValueForm(
            placeholder: "NAME=PATH[,PYTHON]",
            expected: "the name of a module and the absolute path of its file, its folder or the folder around it, and"
                + " of an interpreter if it is not python3, as in pipeline=/opt/pipeline,/opt/venv/bin/python",
            parse: { PythonModule($0) }, show: { $0.text })
    }
}
