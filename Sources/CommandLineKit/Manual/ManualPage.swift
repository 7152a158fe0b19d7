import Foundation

/// The manual pages of a program, generated from the same tables as its help.
package struct ManualPage: Sendable {
    package let program: ProgramSpec
    /// Date in the footer of the pages.
    package let date: String

    /// Creates pages dated today, or by `SOURCE_DATE_EPOCH` for reproducible builds.
    package init(_ program: ProgramSpec, _ environment: [String: String]) {
        self.program = program
        let epoch = environment["SOURCE_DATE_EPOCH"].flatMap(Double.init).map(Date.init(timeIntervalSince1970:))
        date = (epoch ?? .now).formatted(.iso8601.year().month().day())
    }

    /// Returns the page of a command, `PROGRAM-NAME(1)`.
    package func text(of command: CommandSpec) -> String {
        let arguments = command.arguments.map { argument in
            let name = RoffText.italic(argument.name) + (argument.repeats ? "..." : "")
            return argument.isRequired ? name : "[\(name)]"
        }
        let call = "\(RoffText.bold("\(program.name) \(command.name)")) [\(RoffText.italic("OPTION"))]..."
        var page = begin("\(program.name)-\(command.name)", command.summary)
        addUse(
            ([call] + arguments).joined(separator: " "), [command.summary + "."] + command.description,
            command.examples, to: &page)
        page.section("Options")
        if !command.arguments.isEmpty {
            page.subsection("Arguments")
            for argument in command.arguments { page.item(RoffText.italic(argument.name), argument.help + ".") }
        }
        for section in command.sections {
            page.subsection(section.title)
            for option in section.options {
                let value = option.placeholder.map { " " + RoffText.italic($0) } ?? ""
                page.item(option.flags.map(RoffText.bold).joined(separator: ", ") + value, option.meaning + ".")
            }
        }
        addEnd(
            command.exitCodes.union(program.commonExitCodes), command.options, command.files,
            [program.name]
                + program.commands.filter { $0.name != command.name }.map { "\(program.name)-\($0.name)" },
            to: &page)
        return page.text
    }

    /// Returns the page of the program, `PROGRAM(1)`.
    package func overview() -> String {
        var page = begin(program.name, program.summary)
        addUse(
            RoffText.bold(program.name) + " " + RoffText.italic("COMMAND")
                + " [\(RoffText.italic("OPTION"))]... [\(RoffText.italic("ARGUMENT"))]...",
            program.description, program.examples, to: &page)
        page.section("Commands")
        for command in program.commands {
            page.item(RoffText.bold("\(program.name) \(command.name)"), command.summary + ".")
        }
        page.section("Options")
        page.item("\(RoffText.bold("-h")), \(RoffText.bold("--help"))", "Show the commands.")
        page.item("\(RoffText.bold("-V")), \(RoffText.bold("--version"))", "Show the version.")
        addEnd(
            Set(program.exitCodes), [], program.files, program.commands.map { "\(program.name)-\($0.name)" }, to: &page)
        return page.text
    }

    private var title: String { program.name.prefix(1).uppercased() + program.name.dropFirst() }

    private func begin(_ name: String, _ summary: String) -> RoffText {
        var page = RoffText(
            title: name, date: date, source: "\(program.name) \(program.version)", manual: "\(title) Manual")
        page.section("Name")
        page.paragraph([
            RoffText.escaped(name) + " \\- " + RoffText.escaped(summary.prefix(1).lowercased() + summary.dropFirst())
        ])
        return page
    }

    private func addUse(
        _ synopsis: String, _ description: [String], _ examples: [CommandSpec.Example], to page: inout RoffText
    ) {
        page.section("Synopsis")
        page.paragraph([synopsis])
        page.section("Description")
        for text in description { page.paragraph(text) }
        page.section("Examples")
        for example in examples { page.item(RoffText.bold(example.line), example.explanation) }
    }

    private func addEnd(
        _ exitCodes: Set<ExitCode>, _ options: [OptionSpec], _ files: [FileSpec], _ references: [String],
        to page: inout RoffText
    ) {
        page.section("Exit status")
        for code in program.exitCodes where exitCodes.contains(code) {
            page.item(
                RoffText.bold("\(code.rawValue)"), code.meaning.prefix(1).uppercased() + code.meaning.dropFirst() + ".")
        }
        let files = [program.settings] + files
        addEnvironment(options, files, to: &page)
        page.section("Files")
        for file in files { page.item(RoffText.italic("$\(file.variable)/\(file.path)"), file.help) }
        page.section("See also")
        page.paragraph([references.map { RoffText.bold($0) + "(1)" }.joined(separator: ", ")])
    }

    private func addEnvironment(_ options: [OptionSpec], _ files: [FileSpec], to page: inout RoffText) {
        page.section("Environment")
        if options.isEmpty {
            page.item(
                RoffText.bold(program.variablePrefix) + RoffText.italic("FLAG"),
                "Sets a flag that is not given; the pages of the commands list them.")
        }
        for option in options {
            guard let variable = option.environment else { continue }
            let form =
                option.isSwitch ? ": true or false" : option.repeats ? ": values separated by commas or spaces" : ""
            page.item(RoffText.bold(variable), "Sets --\(option.name) where it is not given\(form).")
        }
        page.item(RoffText.bold("NO_COLOR"), "Disables colour if not empty, unless --color is given.")
        var seen: Set<String> = []
        for file in files where seen.insert(file.variable).inserted {
            page.item(RoffText.bold(file.variable), "The folder of \(title)'s files below (default: \(file.fallback)).")
        }
    }
}
