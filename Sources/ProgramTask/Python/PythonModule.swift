import Foundation

/// A module of Python that an owner gives away: `NAME=PATH` or `NAME=PATH,INTERPRETER`.
package struct PythonModule: Equatable, Sendable {
    /// The name by which it is imported.
    package var name: String
    /// Absolute path of the module's file, of the package's folder, or of the folder that has one of them.
    package var path: String
    /// Absolute path of the interpreter; nil for `python3` of the node's PATH.
    package var interpreter: String?

    /// Returns nil unless the text has a valid name and absolute paths.
    package init?(_ text: String) {
        let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
        guard parts.count == 2, PythonName.isModule(parts[0]) else { return nil }
        name = parts[0]
        let comma = parts[1].range(of: ",/", options: .backwards)
        path = String(comma.map { parts[1][..<$0.lowerBound] } ?? parts[1][...])
        interpreter = comma.map { "/" + parts[1][$0.upperBound...] }
        guard path.hasPrefix("/"), !parts[1].utf8.contains(0) else { return nil }
    }

    /// The module as it is written.
    package var text: String { "\(name)=\(path)" + (interpreter.map { ",\($0)" } ?? "") }

    /// The folder from which the module is imported.
    /// - Throws: ``ProgramRefusal`` if there is no such module.
    func folder() throws(ProgramRefusal) -> String {
        let last = path.split(separator: "/").last.map(String.init) ?? ""
        let outer = "/" + path.split(separator: "/").dropLast().joined(separator: "/")
        if last == name + ".py", Self.isFile(path) { return outer }
        if last == name, Self.isFile(path + "/__init__.py") { return outer }
        if Self.isFile("\(path)/\(name).py") || Self.isFile("\(path)/\(name)/__init__.py") { return path }
        throw ProgramRefusal(
            "the Python module \(name): \(path) is neither \(name).py, nor the folder of the package \(name), nor a"
                + " folder with one of them")
    }

    /// The path of the interpreter.
    /// - Throws: ``ProgramRefusal`` if there is none.
    func interpreter(path searched: String?) throws(ProgramRefusal) -> String {
        if let interpreter {
            guard Self.isFile(interpreter), access(interpreter, X_OK) == 0 else {
                throw ProgramRefusal(
                    "the Python module \(name): \(interpreter) is no interpreter that this user may execute")
            }
            return interpreter
        }
        for folder in (searched ?? "/usr/bin:/bin").split(separator: ":") where folder.hasPrefix("/") {
            let path = "\(folder)/python3"
            if Self.isFile(path), access(path, X_OK) == 0 { return path }
        }
        throw ProgramRefusal(
            "the Python module \(name): there is no python3 on PATH; name one, as in"
                + " \(name)=\(path),/opt/venv/bin/python")
    }

    private static func isFile(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }
}

/// Names of modules and functions, which come from the network. Pure.
package enum PythonName {
    /// Whether `name` is that of a module: an identifier of up to 56 ASCII letters, digits and `_`, the first one a letter.
    package static func isModule(_ name: some StringProtocol) -> Bool {
        guard (1...56).contains(name.utf8.count), let first = name.utf8.first, isLetter(first) else { return false }
        return name.utf8.allSatisfy { isLetter($0) || $0 == UInt8(ascii: "_") || (48...57).contains($0) }
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (65...90).contains(byte) || (97...122).contains(byte) }

    /// The module of the function `MODULE.NAME` or `MODULE.SUBMODULE.NAME`; nil unless every part is a name that may be
    /// asked for. Names that begin with `_` may not.
    package static func module(of function: String) -> String? {
        let parts = function.split(separator: ".", omittingEmptySubsequences: false)
        guard (2...16).contains(parts.count), parts.allSatisfy({ isModule($0) }) else { return nil }
        return String(parts[0])
    }
}
