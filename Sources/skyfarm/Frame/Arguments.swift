/// The text of one setting, with where it was found.
struct Setting: Equatable, Sendable {
    var text: String
    var origin: Origin

    enum Origin: Equatable, Sendable, CustomStringConvertible {
        case flag(String)
        case environment(String)
        case file(path: String, line: Int, key: String)

        var description: String {
            switch self {
            case .flag(let flag): flag
            case .environment(let variable): variable
            case .file(let path, let line, let key): "\(path):\(line): \(key)"
            }
        }
    }
}

/// A command's flags and arguments as given, over the environment, over the settings file.
struct Arguments: Sendable {
    /// By the option's long name, in the order given.
    var flags: [String: [Setting]] = [:]
    var positionals: [String] = []
    /// All words after the command's name, as given.
    var words: [String] = []
    var environment: [String: String] = [:]
    var file = SettingsFile()

    /// Value of an option from the best layer that sets it.
    subscript<Value>(_ option: Option<Value>) -> Value {
        get throws(UsageError) { try option.read(settings(of: option.spec)) }
    }

    /// What the best layer that sets an option says.
    func settings(of option: OptionSpec) -> [Setting] {
        if let flags = flags[option.name] { return flags }
        guard let variable = option.environment else { return [] }
        if let text = environment[variable], !text.isEmpty {
            let texts = option.repeats ? text.split { $0 == "," || $0.isWhitespace }.map(String.init) : [text]
            return texts.map { Setting(text: $0, origin: .environment(variable)) }
        }
        return file.settings[option.name] ?? []
    }
}
