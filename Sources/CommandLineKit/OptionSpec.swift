/// The description of an option for the parser and the help; ``Option`` adds the type of its value.
package struct OptionSpec: Sendable {
    package var name: String
    package var short: Character?
    /// The placeholder for the value in the help text; nil for a switch.
    var placeholder: String?
    /// The accepted values in words, such as "a whole number from 1 to 8".
    package var expected: String
    /// All accepted values, if they can be listed.
    var choices: [String]
    /// The use of the files named by the value, or nil if it names none.
    package var files: FileUse?
    package var repeats: Bool
    /// The default in words.
    package var fallback: String?
    package var help: String
    /// The value that the flag has if none is given; nil if a value is required.
    package var implied: Implied?
    /// Name of the environment variable that sets the option; nil if only its flag does.
    package var environment: String?

    var isSwitch: Bool { placeholder == nil }

    package struct Implied: Sendable {
        var text: String
        /// Returns whether the word that follows the flag is its value.
        var takes: @Sendable (String) -> Bool
    }
}

/// An option with the type of its value.
package struct Option<Value: Sendable>: Sendable {
    package let spec: OptionSpec
    /// Converts the settings of one layer, in the order given, to the value.
    package let read: @Sendable ([Setting]) throws(UsageError) -> Value
}

/// The ways to set an option other than by its flag. An option with an environment variable is also a key of the
/// settings file.
package enum Layers: Sendable {
    case flagOnly
    /// Set by the variable whose name is this prefix followed by the option's name in capitals.
    case prefix(String)
    case environment(String)

    package func environment(for name: String) -> String? {
        switch self {
        case .flagOnly: nil
        case .prefix(let prefix): prefix + Self.variableName(name)
        case .environment(let variable): variable
        }
    }

    /// Returns the name in capitals, with `_` for `-`. Works on bytes, because a command has many options and
    /// operations on characters are slow.
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
    /// Creates an option that always has a value.
    package static func value(
        _ name: String, short: Character? = nil, _ form: ValueForm<Value>, default fallback: Value,
        layers: Layers = .flagOnly, help: String
    ) -> Option {
        Option(
            spec: OptionSpec(name, short, form, fallback: form.show(fallback), layers: layers, help: help),
            read: { settings throws(UsageError) in try settings.last.map(form.value) ?? fallback })
    }

    /// Creates an option that may be left out; `fallback` describes the default. If `implied` is not nil, it is the
    /// value of a flag that is given without one.
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

    /// Creates an option that may be given any number of times.
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
    /// Creates a switch: an option without a value.
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
