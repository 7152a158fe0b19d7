import CommandLineKit

extension KeyCommand {
    struct Options: Equatable, Sendable {
        var action: Action
        /// Nil: as the action has it.
        var keepHours: Double?
        var common: CommonOptions

        enum Action: Equatable, Sendable {
            case path, fingerprint, new, rotate
            /// Nil: standard output.
            case export(String?)
            /// Nil: standard input.
            case `import`(String?)

            static let names = ["path", "fingerprint", "export", "import", "new", "rotate"]
        }

        init(_ arguments: Arguments) throws(UsageError) {
            common = try CommonOptions(arguments)
            keepHours = try arguments[KeyCommand.keep]
            action = try Self.action(arguments.positionals)
            switch action {
            case .rotate, .import: break
            case .path, .fingerprint, .new, .export:
                if keepHours != nil { throw UsageError("--keep belongs to key rotate and key import") }
            }
        }

        private static func action(_ words: [String]) throws(UsageError) -> Action {
            // The word is not repeated: errors end up in logs.
            if words.contains(where: { $0.hasPrefix("skyfarm-key-") }) {
                throw UsageError(
                    "a key does not belong into an argument, which others can read: give it to `skyfarm key import` in"
                        + " a file or on standard input")
            }
            let file = words.dropFirst().first.flatMap { $0 == "-" ? nil : $0 }
            switch words[0] {
            case "export": return .export(file)
            case "import": return .import(file)
            case let verb where file != nil && simple[verb] != nil: throw UsageError("key \(verb) takes no file")
            case let verb:
                if let action = simple[verb] { return action }
                throw UsageError(
                    "unknown action \"\(verb)\"\(suggestion(for: verb, among: Action.names)) (see skyfarm key --help)")
            }
        }

        private static let simple: [String: Action] = [
            "path": .path, "fingerprint": .fingerprint, "new": .new, "rotate": .rotate,
        ]
    }

    /// Time for which `rotate` keeps the old key, in hours.
    static let rotationHours = 24.0

    private static let keep = Option.optional(
        "keep", .number("HOURS", 0...8760), fallback: "24 with rotate, 0 with import",
        help: "With rotate and import: accept the old key as well for so long")

    static let spec = CommandSpec(
        name: "key",
        summary: "Show, copy or change the key that makes machines a cluster",
        examples: [
            .init(
                line: "skyfarm key export | ssh other skyfarm key import",
                explanation: "Let the machine `other` use this one's nodes, and the other way round."),
            .init(
                line: "skyfarm key rotate",
                explanation: "Make a new key, and accept the old one for a day, in which to import the new one on every"
                    + " other machine."),
            .init(
                line: "skyfarm key new",
                explanation: "Make a new key and forget the old one at once: it has become known to others."),
        ],
        description: [
            "Who holds the key is of the cluster and can use every node of it. The key is made on first use. Nodes that run"
                + " take up a change; nodes of other clusters are listed by skyfarm nodes with the reason why they cannot"
                + " be used.",
            "path prints where the key is kept and fingerprint what may be shown of it; export and import copy it; new and"
                + " rotate replace it.",
        ],
        arguments: [
            ArgumentSpec(
                name: "ACTION", help: "path, fingerprint, export, import, new or rotate",
                choices: Options.Action.names),
            ArgumentSpec(
                name: "FILE", help: "with export and import: the file, instead of standard output and input",
                isRequired: false, isFile: true),
        ],
        sections: [OptionSection(title: "Options", options: [keep.spec]), CommonOptions.section],
        exitCodes: [.authentication, .input], files: [.key])
}
