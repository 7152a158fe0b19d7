/// The text of a setting and its origin.
package struct Setting: Equatable, Sendable {
    package var text: String
    package var origin: Origin

    package enum Origin: Equatable, Sendable, CustomStringConvertible {
        case flag(String)
        case environment(String)
        case file(path: String, line: Int, key: String)

        package var description: String {
            switch self {
            case .flag(let flag): flag
            case .environment(let variable): variable
            case .file(let path, let line, let key): "\(path):\(line): \(key)"
            }
        }
    }
}

/// The parsed flags and arguments of a command. Flags override the environment, which overrides the settings file.
package struct Arguments: Sendable {
    /// Settings by the option's long name, in the order given.
    package var flags: [String: [Setting]] = [:]
    package var positionals: [String] = []
    /// Number of the positionals before the word `--`; nil if there is none.
    package var separator: Int?
    /// All words after the command's name, as given.
    package var words: [String] = []
    package var environment: [String: String] = [:]
    package var file = SettingsFile()

    package init() {}

    /// Returns the value of an option from the first layer that sets it: flags, environment or settings file.
    package subscript<Value>(_ option: Option<Value>) -> Value {
        get throws(UsageError) { try option.read(settings(of: option.spec)) }
    }

    package func settings(of option: OptionSpec) -> [Setting] {
        if let flags = flags[option.name] { return flags }
        guard let variable = option.environment else { return [] }
        if let text = environment[variable], !text.isEmpty {
            let texts = option.repeats ? text.split { $0 == "," || $0.isWhitespace }.map(String.init) : [text]
            return texts.map { Setting(text: $0, origin: .environment(variable)) }
        }
        return file.settings[option.name] ?? []
    }
}
