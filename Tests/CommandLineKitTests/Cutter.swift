import CommandLineKit

/// The command of the tests' program.
enum Cut {
    static let depth = Option.value(
        "depth", short: "d", .integer("ROWS", 1...9), default: 4, layers: .prefix("CUTTER_"), help: "Rows of a piece")
    static let words = Option.list(
        "words", .word("WORD"), layers: .environment("CUTTER_WORDS"), help: "Some words")
    static let serve = Option.optional(
        "serve", .integer("PORT", 0...9), fallback: "not served", implied: 0, help: "Serve the pieces")
    static let dry = Option.toggle("dry", short: "n", layers: .prefix("CUTTER_"), help: "Cut nothing")
    static let output = Option.optional("output", short: "o", .file(.writes), help: "The file of the pieces")

    static let spec = CommandSpec(
        name: "cut", summary: "Cut an image",
        examples: [.init(line: "cutter cut a.fits", explanation: "Cut it into pieces of four rows each.")],
        arguments: [
            ArgumentSpec(name: "IMAGE", help: "The image", isFile: true),
            ArgumentSpec(name: "MASK", help: "Mask", isRequired: false),
        ],
        sections: [
            OptionSection(title: "Options", options: [depth.spec, words.spec, serve.spec, dry.spec, output.spec])
        ])
}

extension ProgramSpec {
    static let cutter = ProgramSpec(
        name: "cutter", version: "1.2", summary: "Cut images",
        examples: [.init(line: "cutter cut a.fits", explanation: "Cut an image.")], description: ["It cuts."],
        commands: [Cut.spec, CommandSpec(name: "join", summary: "Join pieces", examples: [], sections: [])],
        exitCodes: [.complete, .failure, .usage, ExitCode(9, "blunt")], commonExitCodes: [.complete, .usage],
        settings: FileSpec(variable: "XDG_CONFIG_HOME", fallback: "~/.config", path: "cutter/config", help: "Settings.")
    )
}
