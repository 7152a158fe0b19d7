/// An option for the parser and the help; ``Option`` adds the type of its value.
package struct OptionSpec: Sendable {
    package var name: String
    package var short: Character?
    /// Stands for the value in the help text; nil for a switch.
    var placeholder: String?
    /// The accepted values in words, as in "a whole number from 1 to 8".
    package var expected: String
    /// All accepted values, where they can be listed.
    var choices: [String]
    /// How the files are used that the value names; nil: it names none.
    package var files: FileUse?
    package var repeats: Bool
    /// The default in words.
    package var fallback: String?
    package var help: String
    /// The value of a flag that may be given without one.
    package var implied: Implied?
    /// Environment variable that sets the option; nil if it can only be set by its flag.
    package var environment: String?

    var isSwitch: Bool { placeholder == nil }

    package struct Implied: Sendable {
        var text: String
        /// Whether a word that follows the flag is its value.
        var takes: @Sendable (String) -> Bool
    }
}

/// An option with the type of its value.
package struct Option<Value: Sendable>: Sendable {
    package let spec: OptionSpec
    /// Makes the value from the settings of one layer, in the order given.
    package let read: @Sendable ([Setting]) throws(UsageError) -> Value
}

/// How an option may be set other than by its flag. An option with an environment variable is also a key of the
/// settings file.
package enum Layers: Sendable {
    case flagOnly
    /// By the variable whose name is this prefix followed by the option's name in capitals.
    case prefix(String)
    case environment(String)

    package func environment(for name: String) -> String? {
        switch self {
        case .flagOnly: nil
        case .prefix(let prefix): prefix + Self.variableName(name)
        case .environment(let variable): variable
        }
    }

    /// The name in capitals, with `_` for `-`. As bytes, since a command has many options and work on characters is slow.
    private static func variableName(_ name: String) -> String {
        let bytes = name.utf8.map { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"): byte - 32
            case UInt8(ascii: "-"): UInt8(ascii: "_")
            default: byte
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension Option {
    /// An option that always has a value.
    package static func value(
        _ name: String, short: Character? = nil, _ form: ValueForm<Value>, default fallback: Value,
        layers: Layers = .flagOnly, help: String
    ) -> Option {
        Option(
            spec: OptionSpec(name, short, form, fallback: form.show(fallback), layers: layers, help: help),
            read: { settings throws(UsageError) in try settings.last.map(form.value) ?? fallback })
    }

    /// An option that may be left out; `fallback` describes the default. `implied`, if not nil, is the value of a flag
    /// that is given without one.
    package static func optional<Wrapped>(
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
    package static func list<Element>(
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
    package static func toggle(_ name: String, short: Character? = nil, layers: Layers = .flagOnly, help: String)
        -> Option
    {
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
            files: form.files, repeats: repeats, fallback: fallback, help: help,
            environment: layers.environment(for: name))
    }
}
