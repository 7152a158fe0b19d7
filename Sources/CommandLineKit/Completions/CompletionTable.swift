/// The way in which a shell completes a value.
enum CompletionValue: Equatable, Sendable {
    /// One of the listed words.
    case words([String])
    case file
    /// Not completed.
    case other
}

extension OptionSpec {
    /// The completion of the value; nil for a switch, and for a flag whose value may be left out.
    var completion: CompletionValue? {
        isSwitch || implied != nil ? nil : files != nil ? .file : choices.isEmpty ? .other : .words(choices)
    }

    /// All forms of the flag.
    package var flags: [String] { (short.map { ["-\($0)"] } ?? []) + ["--" + name] }
}

extension ArgumentSpec {
    var completion: CompletionValue { isFile ? .file : choices.isEmpty ? .other : .words(choices) }
}

extension CommandSpec {
    var valueFlags: [String] { options.filter { $0.completion != nil }.flatMap(\.flags) }
}
