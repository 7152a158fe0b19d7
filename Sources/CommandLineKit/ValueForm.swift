/// Parsing, formatting and description of an option's value.
package struct ValueForm<Value: Sendable>: Sendable {
    /// The placeholder for the value in the help text.
    let placeholder: String
    /// The accepted values in words.
    package let expected: String
    let choices: [String]
    /// The use of the files named by the value, or nil if it names none.
    package var files: FileUse?
    package let parse: @Sendable (String) -> Value?
    let show: @Sendable (Value) -> String

    package init(
        placeholder: String, expected: String, choices: [String] = [], parse: @escaping @Sendable (String) -> Value?,
        show: @escaping @Sendable (Value) -> String
    ) {
        (self.placeholder, self.expected, self.choices) = (placeholder, expected, choices)
        (self.parse, self.show) = (parse, show)
    }

    package func value(_ setting: Setting) throws(UsageError) -> Value {
        guard let value = parse(setting.text) else {
            throw UsageError("\(setting.origin): \"\(setting.text)\" is not \(expected)")
        }
        return value
    }
}

extension ValueForm {
    /// Returns this form for values that name files.
    package func naming(_ files: FileUse) -> ValueForm {
        var form = self
        form.files = files
        return form
    }
}

/// The use of the files that an option's value names. Code that needs all files of a command line finds them through
/// the options.
package struct FileUse: Sendable {
    package enum Mode: Sendable {
        case reads, writes
    }

    package let mode: Mode
    /// Returns the file names in a value; they contain template fields if the option takes a template.
    package let names: @Sendable (String) -> [String]

    package init(_ mode: Mode, names: @escaping @Sendable (String) -> [String]) {
        (self.mode, self.names) = (mode, names)
    }
}

extension ValueForm where Value == String {
    /// Any non-empty text.
    package static func text(_ placeholder: String, expected: String = "a text that is not empty") -> ValueForm {
        ValueForm(placeholder: placeholder, expected: expected, parse: { $0.isEmpty ? nil : $0 }, show: { $0 })
    }

    /// The name of a file to read or write.
    package static func file(_ mode: FileUse.Mode, _ placeholder: String = "FILE") -> ValueForm {
        text(placeholder, expected: "the name of a file").naming(FileUse(mode) { [$0] })
    }

    /// A name without white space.
    package static func word(_ placeholder: String) -> ValueForm {
        ValueForm(
            placeholder: placeholder, expected: "a name without spaces",
            parse: { $0.isEmpty || $0.contains(where: \.isWhitespace) ? nil : $0 }, show: { $0 })
    }
}

extension ValueForm where Value == Int {
    /// A whole number in `range`.
    package static func integer(_ placeholder: String, _ range: ClosedRange<Int>) -> ValueForm {
        ValueForm(
            placeholder: placeholder, expected: "a whole number from \(range.lowerBound) to \(range.upperBound)",
            parse: { Int($0).flatMap { range.contains($0) ? $0 : nil } }, show: { String($0) })
    }
}

extension ValueForm where Value == UInt64 {
    /// A non-negative whole number of 64 bits.
    package static func seed(_ placeholder: String) -> ValueForm {
        ValueForm(
            placeholder: placeholder, expected: "a whole number from 0 to \(UInt64.max)", parse: { UInt64($0) },
            show: { String($0) })
    }
}

extension ValueForm where Value == Double {
    /// A finite number in `range`.
    package static func number(_ placeholder: String, _ range: ClosedRange<Double>) -> ValueForm {
        ValueForm(
            placeholder: placeholder,
            expected: "a number from \(plainText(range.lowerBound)) to \(plainText(range.upperBound))",
            parse: { Double($0).flatMap { range.contains($0) ? $0 : nil } }, show: plainText)
    }
}

extension ValueForm where Value == Bool {
    package static var boolean: ValueForm {
        ValueForm(
            placeholder: "BOOL", expected: "true or false", choices: ["true", "false"],
            parse: {
                switch $0.lowercased() {
                case "true", "yes", "on", "1": true
                case "false", "no", "off", "0": false
                default: nil
                }
            }, show: { String($0) })
    }
}

extension ValueForm where Value: RawRepresentable & CaseIterable, Value.RawValue == String {
    /// One of the raw values of `cases`.
    package static func choice(_ placeholder: String, among cases: [Value] = Array(Value.allCases)) -> ValueForm {
        let names = cases.map(\.rawValue)
        return ValueForm(
            placeholder: placeholder, expected: "one of " + names.joined(separator: ", "), choices: names,
            parse: { text in names.contains(text) ? Value(rawValue: text) : nil }, show: \.rawValue)
    }
}

/// Formats a number in its shortest form: `30`, not `30.0`.
package func plainText(_ number: Double) -> String {
    number == number.rounded() && abs(number) < 1e15 ? String(Int(number)) : String(number)
}
