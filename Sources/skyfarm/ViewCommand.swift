package import CommandLineKit
package import Console
import Foundation
import ImageScanning
import ScanBasics
import SkyFITS
package import SkyScan
import TaskJournal

/// `skyfarm view` opens the page of a scan in a browser.
package struct ViewCommand: Command {
    let options: Options

    package init(_ arguments: Arguments) throws(UsageError) { options = try Options(arguments) }

    package func run() async throws -> ExitCode {
        let page = try page()
        let url = URL(fileURLWithPath: page).absoluteString
        var failures: [String] = []
        for command in BrowserCommand.all(for: url, options.environment) {
            do throws(BrowserCommand.Failure) {
                try command.run(options.environment)
                if !options.common.quiet { StandardError.write("opened \(page)\n") }
                return .complete
            } catch {
                switch error {
                case .missing: break
                case .notStarted(let code): failures.append("\(command.words[0]): \(String(cString: strerror(code)))")
                case .ended(let code): failures.append("\(command.words[0]) ended with exit code \(code)")
                }
            }
        }
        let cause =
            failures.isEmpty
            ? "no browser: install xdg-utils, or name one in BROWSER" : failures.joined(separator: ", ")
        throw CommandError(.failure, "view: \(cause); the page is \(url)")
    }

    /// Returns the absolute path of the page.
    private func page() throws -> String {
        guard let name = options.page else {
            guard let page = try Self.newest(options.folder.entries().compactMap(\.record)) else {
                throw CommandError(
                    .input,
                    "view: no scan in the journal has a page; write one with skyfarm scan IMAGE --report scan.html")
            }
            return page
        }
        guard let page = Self.file(of: AbsolutePath.of(name)) else {
            let advice =
                name.hasSuffix("/") ? "skyfarm scan IMAGES --report \(name)" : "skyfarm scan IMAGE --report scan.html"
            throw CommandError(.input, "view: \(name): no such page; write one with \(advice)")
        }
        guard Self.isPage(page) else {
            throw CommandError(
                .input,
                "view: \(name): not a page; name the HTML file that skyfarm scan IMAGE --report FILE.html has written")
        }
        return page
    }

    /// Returns the page of the first job that has one, by the outputs of all its runs.
    static func newest(_ records: [JobRecord]) -> String? {
        for path in records.flatMap({ $0.outputs ?? [] }) {
            if let page = file(of: path) ?? newest(of: path), isPage(page) { return page }
        }
        return nil
    }

    /// The page that was written last among those whose names a template makes; nil if there is none.
    private static func newest(of template: String) -> String? {
        guard let pattern = try? OutputTemplate(template).pattern,
            let pages = try? ReadableFiles.current.paths(matching: pattern).paths
        else { return nil }
        func time(_ path: String) -> Date { FileStatus(path: path)?.modificationDate ?? .distantPast }
        return pages.max { time($0) < time($1) }
    }

    /// The file of a page: of a folder, its index. Nil if there is none.
    private static func file(of path: String) -> String? {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else { return nil }
        if !isFolder.boolValue { return path }
        let index = path + "/index.html"
        return FileManager.default.fileExists(atPath: index) ? index : nil
    }

    private static func isPage(_ path: String) -> Bool {
        ["html", "htm"].contains(URL(fileURLWithPath: path).pathExtension.lowercased())
    }
}

extension ViewCommand {
    package struct Options: Equatable, Sendable {
        /// An HTML file or a folder of pages, or nil for the newest page.
        package var page: String?
        package var folder: JournalFolder
        package var environment: [String: String]
        package var common: CommonOptions

        package init(_ arguments: Arguments) throws(UsageError) {
            page = arguments.positionals.first
            common = try CommonOptions(arguments)
            environment = arguments.environment
            do throws(JournalError) {
                folder = try JournalFolder(environment: arguments.environment)
            } catch {
                throw UsageError(error.message)
            }
        }
    }

    package static let spec = CommandSpec(
        name: "view",
        summary: "Open the page of a scan in a browser",
        examples: [
            .init(line: "skyfarm view", explanation: "Open the page of the last scan that has one."),
            .init(
                line: "skyfarm view scan.html",
                explanation: "Open the page that skyfarm scan image.fits --report scan.html has written."),
            .init(line: "skyfarm view pages/", explanation: "Open the index of many images, of --report pages/."),
        ],
        description: [
            "The page opens in the browser that BROWSER names, a list of commands with colons between them in which %s"
                + " stands for the page, or else in the desktop's, by xdg-open (on macOS, open). If there is none, the"
                + " error names the page.",
            "scan --report writes pages. For a scan that is still running, scan --dashboard prints the link of its live"
                + " page.",
        ],
        arguments: [
            ArgumentSpec(
                name: "PAGE", help: "an HTML file, or a folder of pages; by default that of the last scan with a page",
                isRequired: false, isFile: true)
        ],
        sections: [CommonOptions.section], exitCodes: [.input], files: [.journals])
}
