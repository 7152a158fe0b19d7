/// What the parser and the help text know of an option; ``Option`` adds the type of its value.
struct OptionSpec: Sendable {
    var name: String
    var short: Character?
    /// Stands for the value in the help text; nil for a switch.
    var placeholder: String?
    /// The accepted values in words, as in "a whole number from 1 to 8".
    var expected: String
    /// All accepted values, where they can be listed.
    var choices: [String]
    /// The value is the name of a file.
    var isFile: Bool
    var repeats: Bool
    /// The default in words; nil if there is none worth saying.
    var fallback: String?
    var help: String
    /// What the flag alone means, if it may stand without a value.
    var implied: Implied?
    /// Environment variable that sets the option; nil if only its flag does, and no settings file.
    var environment: String?

    var isSwitch: Bool { placeholder == nil }

    /// The value of a flag that stands alone.
    struct Implied: Sendable {
        var text: String
        /// Whether a word that follows the flag is its value.
        var takes: @Sendable (String) -> Bool
    }
}

/// An option with the type of its value: what a command reads, and what the table lists.
struct Option<Value: Sendable>: Sendable {
    let spec: OptionSpec
    /// From the settings found, best layer only and in the order given, to the value.
    let read: @Sendable ([Setting]) throws(UsageError) -> Value
}

/// Where an option that is set at all may be set.
enum Layers: Sendable {
    case flagOnly
    /// By flag, by `SKYFARM_` and the option's name in capitals, and in the settings file.
    case all
    case environment(String)

    func environment(for name: String) -> String? {
        switch self {
        case .flagOnly: nil
        case .all: "SKYFARM_" + name.uppercased().map { $0 == "-" ? "_" : String($0) }.joined()
        case .environment(let variable): variable
        }
    }
}

extension Option {
    /// An option that always has a value.
    static func value(
        _ name: String, short: Character? = nil, _ form: ValueForm<Value>, default fallback: Value,
        layers: Layers = .flagOnly, help: String
    ) -> Option {
        Option(
            spec: OptionSpec(name, short, form, fallback: form.show(fallback), layers: layers, help: help),
            read: { settings throws(UsageError) in try settings.last.map(form.value) ?? fallback })
    }

    /// An option that may be left out; `fallback` says in words what happens then. If `implied` is given, the flag may
    /// stand without a value, and means that.
    static func optional<Wrapped>(
        _ name: String, short: Character? = nil, _ form: ValueForm<Wrapped>, fallback: String? = nil,
        layers: Layers = .flagOnly, implied: Wrapped? = nil, help: String
    ) -> Option where Value == Wrapped? {
        var spec = OptionSpec(name, short, form, fallback: fallback, layers: layers, help: help)
        if let implied {
            spec.placeholder = "[\(form.placeholder)]"
            spec.implied = OptionSpec.Implied(text: form.show(implied), takes: { form.parse($0) != nil })
        }
        return Option(
            spec: spec,
            read: { settings throws(UsageError) in try settings.last.map(form.value) })
    }

    /// An option that may be given any number of times.
    static func list<Element>(
        _ name: String, short: Character? = nil, _ form: ValueForm<Element>, fallback: String? = nil,
        layers: Layers = .flagOnly, help: String
    ) -> Option where Value == [Element] {
        Option(
            spec: OptionSpec(name, short, form, repeats: true, fallback: fallback, layers: layers, help: help),
            read: { settings throws(UsageError) in
                var values: [Element] = []
                for setting in settings { values.append(try form.value(setting)) }
                return values
            })
    }
}

extension Option where Value == Bool {
    /// An option without a value.
    static func toggle(_ name: String, short: Character? = nil, layers: Layers = .flagOnly, help: String) -> Option {
        let form = ValueForm.boolean
        var spec = OptionSpec(name, short, form, layers: layers, help: help)
        spec.placeholder = nil
        return Option(
            spec: spec, read: { settings throws(UsageError) in try settings.last.map(form.value) ?? false })
    }
}

extension OptionSpec {
    fileprivate init<Value>(
        _ name: String, _ short: Character?, _ form: ValueForm<Value>, repeats: Bool = false, fallback: String? = nil,
        layers: Layers, help: String
    ) {
        self.init(
            name: name, short: short, placeholder: form.placeholder, expected: form.expected, choices: form.choices,
            isFile: form.isFile, repeats: repeats, fallback: fallback, help: help,
            environment: layers.environment(for: name))
    }
}
