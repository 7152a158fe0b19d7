import skyfarm
import Testing

import CommandLineKit
import Console

@Suite struct ManualPageTests {
    static let names = ["skyfarm"] + Skyfarm.program.commands.map(\.name)

    /// The page, as the program writes it.
    private func page(_ name: String) throws -> String {
        let result = try Program.run(
            ["help", "--man"] + (name == "skyfarm" ? [] : [name]), environment: ["SOURCE_DATE_EPOCH": "1700000000"])
        #expect(result.code == 0 && result.errors.isEmpty)
        return result.output
    }

    @Test("every page has the sections of a manual page, in order", arguments: names)
    func sections(name: String) throws {
        let page = try page(name)
        let title = name == "skyfarm" ? "SKYFARM" : "SKYFARM\\-\(name.uppercased())"
        #expect(page.hasPrefix(".TH \"\(title)\" 1 \"2023-11-14\" \"\(Software.name)\" \"Skyfarm Manual\"\n"))
        let sections = page.split(separator: "\n").filter { $0.hasPrefix(".SH ") }.map { $0.dropFirst(5).dropLast() }
        let expected = [
            "NAME", "SYNOPSIS", "DESCRIPTION", "EXAMPLES", "OPTIONS", "EXIT STATUS", "ENVIRONMENT", "FILES", "SEE ALSO",
        ]
        #expect(sections.filter { $0 != "COMMANDS" } == expected[...].map { $0[...] })
    }

    @Test(
        "a page lists every flag with its variable and every argument", arguments: Skyfarm.program.commands.map(\.name))
    func contents(name: String) throws {
        let page = try page(name)
        let spec = try Skyfarm.program.command(named: name)
        for option in spec.options {
            let flag = RoffText.bold("--" + option.name)
            #expect(page.contains(flag + "\n") || page.contains(flag + " \\fI"), "\(option.name)")
            if let variable = option.environment { #expect(page.contains("\n\\fB\(variable)\\fR\n")) }
        }
        for argument in spec.arguments { #expect(page.contains("\n\\fI\(argument.name)\\fR\n")) }
        for example in spec.examples { #expect(page.contains(RoffText.bold(example.line))) }
    }

    @Test(
        "groff formats every page without a warning",
        .enabled(if: Tool.path("groff") != nil, "needs groff (Debian: groff)"), arguments: names)
    func groff(name: String) throws {
        let scene = try Scene()
        let file = try scene.write(try page(name).utf8, "page.1")
        let result = try Program.run(
            path: try #require(Tool.path("groff")), ["-ww", "-z", "-Tutf8", "-man", file])
        #expect(result.code == 0 && result.errors.isEmpty, "\(result.errors)")
    }

    @Test(
        "mandoc finds nothing to complain of in any page",
        .enabled(if: Tool.path("mandoc") != nil, "needs mandoc (Debian: mandoc)"), arguments: names)
    func mandoc(name: String) throws {
        let scene = try Scene()
        let file = try scene.write(try page(name).utf8, "page.1")
        let result = try Program.run(path: try #require(Tool.path("mandoc")), ["-T", "lint", file])
        #expect(result.code == 0 && result.output.isEmpty && result.errors.isEmpty, "\(result.output)")
    }
}
