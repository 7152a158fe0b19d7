import Foundation

/// The manual pages of Skyfarm, from the tables that `--help` is made of.
enum ManualPage {
    /// The page of a command, `skyfarm-NAME(1)`; `date` is that of the manual.
    static func page(of command: CommandSpec, among commands: [CommandSpec], date: String) -> String {
        var page = begin("skyfarm-" + command.name, command.summary, date: date)
        page.section("Synopsis")
        page.paragraph([synopsis(of: command)])
        page.section("Description")
        for text in [command.summary + "."] + command.description { page.paragraph(text) }
        page.section("Examples")
        for example in command.examples { page.item(RoffText.bold(example.line), example.explanation) }
        page.section("Options")
        if !command.arguments.isEmpty {
            page.subsection("Arguments")
            for argument in command.arguments { page.item(RoffText.italic(argument.name), argument.help + ".") }
        }
        for section in command.sections {
            page.subsection(section.title)
            for option in section.options { page.item(heading(of: option), option.meaning + ".") }
        }
        addExitCodes(command.exitCodes.union(CommandSpec.commonExitCodes), to: &page)
        addEnvironment(command.options, command.files, to: &page)
        addFiles(command.files, to: &page)
        addReferences(
            ["skyfarm"] + commands.filter { $0.name != command.name }.map { "skyfarm-" + $0.name }, to: &page)
        return page.text
    }

    /// The page of the program, `skyfarm(1)`.
    static func overview(of commands: [CommandSpec], date: String) -> String {
        var page = begin("skyfarm", "Scan sky images with every machine on the local network", date: date)
        page.section("Synopsis")
        page.paragraph([
            RoffText.bold("skyfarm") + " " + RoffText.italic("COMMAND")
                + " [\(RoffText.italic("OPTION"))]... [\(RoffText.italic("ARGUMENT"))]..."
        ])
        page.section("Description")
        page.paragraph(
            "Skyfarm finds the sources of a sky image and writes one catalogue of them, the same file byte for byte on one"
                + " machine and on ten. The image is cut into bands; each goes to the node that is expected to finish it"
                + " first, and the machine you sit at takes part too.")
        page.paragraph(
            "Nodes find each other on the local network by DNS-SD. They work for those who hold their cluster key, and"
                + " every connection is encrypted. A node that fails, hangs or leaves costs time, never a source.")
        page.paragraph(
            "Data goes to standard output, everything else to standard error. Settings come from flags, then from"
                + " environment variables, then from the settings file.")
        page.section("Examples")
        page.item(RoffText.bold("skyfarm node"), "On each machine that is to help.")
        page.item(
            RoffText.bold("skyfarm scan image.fits -o sources.fits"),
            "Find the sources of an image, with these machines and this one.")
        page.section("Commands")
        for command in commands { page.item(RoffText.bold("skyfarm " + command.name), command.summary + ".") }
        page.section("Options")
        page.item("\(RoffText.bold("-h")), \(RoffText.bold("--help"))", "Show the commands.")
        page.item(RoffText.bold("--version"), "Show the version.")
        addExitCodes(Set(ExitCode.allCases), to: &page)
        addEnvironment([], [.settings, .journals], to: &page)
        addFiles([.key, .journals], to: &page)
        addReferences(commands.map { "skyfarm-" + $0.name }, to: &page)
        return page.text
    }

    /// The day that a page bears: today, or that of `SOURCE_DATE_EPOCH`, for builds that can be repeated.
    static func date(_ environment: [String: String]) -> String {
        let epoch = environment["SOURCE_DATE_EPOCH"].flatMap(Double.init).map(Date.init(timeIntervalSince1970:))
        return (epoch ?? .now).formatted(.iso8601.year().month().day())
    }

    private static func begin(_ name: String, _ summary: String, date: String) -> RoffText {
        var page = RoffText(
            title: name, date: date, source: Skyfarm.software, manual: "Skyfarm Manual")
        page.section("Name")
        page.paragraph([
            RoffText.escaped(name) + " \\- " + RoffText.escaped(summary.prefix(1).lowercased() + summary.dropFirst())
        ])
        return page
    }

    private static func synopsis(of command: CommandSpec) -> String {
        let arguments = command.arguments.map { argument in
            argument.isRequired ? RoffText.italic(argument.name) : "[\(RoffText.italic(argument.name))]"
        }
        return (["\(RoffText.bold("skyfarm \(command.name)")) [\(RoffText.italic("OPTION"))]..."] + arguments)
            .joined(separator: " ")
    }

    private static func heading(of option: OptionSpec) -> String {
        let value = option.placeholder.map { " " + RoffText.italic($0) } ?? ""
        return option.flags.map(RoffText.bold).joined(separator: ", ") + value
    }

    private static func addExitCodes(_ codes: Set<ExitCode>, to page: inout RoffText) {
        page.section("Exit status")
        for code in ExitCode.allCases where codes.contains(code) {
            page.item(
                RoffText.bold("\(code.rawValue)"), code.meaning.prefix(1).uppercased() + code.meaning.dropFirst() + ".")
        }
    }

    private static func addEnvironment(_ options: [OptionSpec], _ files: [FileSpec], to page: inout RoffText) {
        page.section("Environment")
        if options.isEmpty {
            page.item(
                "\(RoffText.bold("SKYFARM_"))\(RoffText.italic("FLAG"))",
                "Sets a flag that is not given; the pages of the commands list them.")
        }
        for option in options {
            guard let variable = option.environment else { continue }
            let form =
                option.isSwitch ? ": true or false" : option.repeats ? ": values with commas or spaces between" : ""
            page.item(RoffText.bold(variable), "Sets --\(option.name) where it is not given\(form).")
        }
        page.item(RoffText.bold("NO_COLOR"), "Turns colour off if set to anything, unless --color is given.")
        var seen: Set<String> = []
        for file in [.settings] + files where seen.insert(file.variable).inserted {
            page.item(RoffText.bold(file.variable), "The folder of Skyfarm's files below (default: \(file.fallback)).")
        }
    }

    private static func addFiles(_ files: [FileSpec], to page: inout RoffText) {
        page.section("Files")
        for file in [.settings] + files {
            page.item(RoffText.italic("$\(file.variable)/\(file.path)"), file.help)
        }
    }

    private static func addReferences(_ names: [String], to page: inout RoffText) {
        page.section("See also")
        page.paragraph([names.map { RoffText.bold($0) + "(1)" }.joined(separator: ", ")])
    }
}
