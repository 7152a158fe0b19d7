import CommandLineKit
import Console
import Foundation
import ImageScanning
import ScanBasics
import SkyFITS
import SkyReport

/// The file of `--report`.
struct ReportFile: Sendable {
    let path: String
    let overwrite: Bool
    /// The command with all its settings, quoted for a shell.
    private let command: String

    static let option = Option.optional(
        "report", .file(.writes, "FILE.html"),
        help: "Write an HTML report to FILE: masters, frames and what was found in them; one self-contained file")

    /// Nil without the option.
    /// - Throws: `UsageError` for a name that is not that of a page.
    init?(_ arguments: Arguments, of command: CommandSpec, overwrite: Bool) throws(UsageError) {
        guard let path = try arguments[Self.option] else { return nil }
        let name = path.lowercased()
        guard name.hasSuffix(".html") || name.hasSuffix(".htm") else {
            throw UsageError("--report: \(path): unknown ending; use .html or .htm")
        }
        (self.path, self.overwrite) = (path, overwrite)
        self.command = commandLine(["skyfarm", command.name] + arguments.completeWords(of: command))
    }

    /// Checks that the page replaces nothing that it may not.
    /// - Throws: `UsageError` if it is an input or another output, ``OutputError`` if it exists and may not be replaced.
    func check(outputs: [String], inputs: [String]) throws {
        let own = Self.place(path)
        if let input = inputs.first(where: { Self.place($0) == own }) {
            throw UsageError("--report: \(input) is one of the inputs, which would be lost; name another file")
        }
        if let output = outputs.first(where: { Self.place($0) == own }) {
            throw UsageError("--report: \(output) is the file of another output; name another file")
        }
        if !overwrite, ReadableFiles.current.exists(path), !ProcessFiles.isOwn(path) {
            throw OutputError(.exists, "\(path): exists already; name another file for --report, or add --overwrite")
        }
    }

    /// Checks that the page can be written, once folders of outputs are made.
    /// - Throws: ``OutputError``.
    func prepare() throws(OutputError) { try AtomicFile.check(path: path, overwrite: overwrite) }

    /// The absolute path without links, also of a file that does not exist yet.
    private static func place(_ path: String) -> String {
        if let whole = realPath(path) { return whole }
        let url = URL(fileURLWithPath: path).standardizedFileURL
        let folder = url.deletingLastPathComponent().path
        return (realPath(folder) ?? folder) + "/" + url.lastPathComponent
    }

    /// Writes a page with the command at its end.
    /// - Throws: ``OutputError``.
    func write(_ title: String, _ figures: [CalibrationPage.Figure], _ sections: [CalibrationPage.Section]) throws {
        var end = CalibrationPage.Section("Repeat this command")
        end.command = command
        let page = CalibrationPage(title, Software.name, figures, sections + [end])
        let file = try AtomicFile(path: path, overwrite: overwrite)
        try file.write(page.html())
        try file.commit()
    }
}
