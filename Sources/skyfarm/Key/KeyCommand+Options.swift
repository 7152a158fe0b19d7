package import CommandLineKit
package import Console

extension KeyCommand {
    package struct Options: Equatable, Sendable {
        package var action: Action
        /// Hours for which the old key is accepted, or nil for the default of the action.
        var keepHours: Double?
        package var common: CommonOptions

        package enum Action: Equatable, Sendable {
            case path, fingerprint, new, rotate
            /// Exports the key to a file, or to standard output if nil.
            case export(String?)
            /// Imports a key from a file, or from standard input if nil.
            case `import`(String?)

            package static let names = ["path", "fingerprint", "export", "import", "new", "rotate"]
        }

        package init(_ arguments: Arguments) throws(UsageError) {
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
            // The error message does not repeat the key, since errors may be logged.
            if words.contains(where: { $0.hasPrefix("skyfarm-key-") }) {
                throw UsageError(
                    "other users can read arguments: pass the key to `skyfarm key import` in a file or on standard"
                        + " input"
                )
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

    /// Number of hours for which `rotate` keeps the old key.
    static let rotationHours = 24.0

    private static let keep = Option.optional(
        "keep", .number("HOURS", 0...8760), fallback: "24 with rotate, 0 with import",
        help: "With rotate and import: time for which the old key is accepted as well")

    package static let spec = CommandSpec(
        name: "key",
        summary: "Show, copy or change the cluster key",
        examples: [
            .init(
                line: "skyfarm key export | ssh other skyfarm key import",
                explanation: "Give the machine `other` this machine's key: each can then use the nodes of the other."),
            .init(
                line: "skyfarm key rotate",
                explanation: "Make a new key and accept the old one for another day: time to import the new one on all"
                    + " other machines."),
            .init(
                line: "skyfarm key new",
                explanation: "Make a new key and reject the old one at once, because it leaked."),
        ],
        description: [
            "Machines with the same key form a cluster: each can use the nodes of all others. The key is created on"
                + " first use. Running nodes pick up a new key without a restart.",
            "path prints where the key is stored, fingerprint prints a fingerprint that may be shown to others."
                + " export and import copy the key; new and rotate replace it.",
            "export --json prints an object with the key, or with FILE one with the file's path; import reads the key"
                + " itself.",
        ],
        arguments: [
            ArgumentSpec(
                name: "ACTION", help: "path, fingerprint, export, import, new or rotate",
                choices: Options.Action.names),
            ArgumentSpec(
                name: "FILE",
                help: "with export and import: the file to write or read, instead of standard output or input",
                isRequired: false, isFile: true),
        ],
        sections: [OptionSection(title: "Options", options: [keep.spec]), CommonOptions.section],
        exitCodes: [.authentication, .input], files: [.key])
}
