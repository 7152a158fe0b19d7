/// What shells are told of a value.
enum CompletionValue: Equatable, Sendable {
    /// One of these.
    case words([String])
    case file
    /// Something that cannot be listed.
    case other
}

extension OptionSpec {
    /// What its value may be; nil for a switch, and for a flag that may stand without its value.
    var completion: CompletionValue? {
        isSwitch || implied != nil ? nil : isFile ? .file : choices.isEmpty ? .other : .words(choices)
    }

    /// Every form of the flag.
    var flags: [String] { (short.map { ["-\($0)"] } ?? []) + ["--" + name] }
}

extension ArgumentSpec {
    /// What it may be.
    var completion: CompletionValue { isFile ? .file : choices.isEmpty ? .other : .words(choices) }
}

extension CommandSpec {
    /// The flags that need a value.
    var valueFlags: [String] { options.filter { $0.completion != nil }.flatMap(\.flags) }
}
