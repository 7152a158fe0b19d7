/// How a shell completes a value.
enum CompletionValue: Equatable, Sendable {
    /// One of these.
    case words([String])
    case file
    /// Not completed.
    case other
}

extension OptionSpec {
    /// How its value is completed; nil for a switch, and for a flag that may be given without a value.
    var completion: CompletionValue? {
        isSwitch || implied != nil ? nil : files != nil ? .file : choices.isEmpty ? .other : .words(choices)
    }

    /// Every form of the flag.
    package var flags: [String] { (short.map { ["-\($0)"] } ?? []) + ["--" + name] }
}

extension ArgumentSpec {
    var completion: CompletionValue { isFile ? .file : choices.isEmpty ? .other : .words(choices) }
}

extension CommandSpec {
    /// The flags that need a value.
    var valueFlags: [String] { options.filter { $0.completion != nil }.flatMap(\.flags) }
}
