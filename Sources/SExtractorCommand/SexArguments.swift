package import CommandLineKit

/// The command line of SExtractor, `IMAGE [-c FILE] [-KEY VALUE]...`, which may contain flags of `skyfarm scan`.
package struct SexArguments: Equatable, Sendable {
    /// Information that is printed instead of a scan.
    package enum Listing: Equatable, Sendable {
        case configuration(isComplete: Bool)
        case columns
        case version
    }

    package var images: [String] = []
    package var listing: Listing?
    /// Path of the configuration file, or nil for `default.sex` if it exists.
    package var configuration: String?
    /// Keys and values in the order of the command line.
    package var settings: [(key: String, value: String)] = []
    /// Flags of `skyfarm scan`, as `--flag` or `--flag=value`.
    package var flags: [String] = []

    package static func == (left: SexArguments, right: SexArguments) -> Bool {
        left.images == right.images && left.listing == right.listing && left.configuration == right.configuration
            && left.flags == right.flags && left.settings.elementsEqual(right.settings, by: ==)
    }

    /// Returns whether a word is a flag or a key, so that it cannot be a value.
    private static func isFlag(_ word: String) -> Bool {
        if word.hasPrefix("--") || ["-c", "-d", "-dd", "-dp", "-v", "-V"].contains(word) { return true }
        return word.hasPrefix("-") && SexKey.named(word.dropFirst().uppercased()) != nil
    }

    /// Parses the words that follow the command's name.
    /// - Throws: `UsageError` for an unknown or incomplete option.
    package init(_ words: [String]) throws(UsageError) {
        var rest = words[...]
        while let word = rest.popFirst() {
            switch word {
            case "-d": listing = .configuration(isComplete: false)
            case "-dd": listing = .configuration(isComplete: true)
            case "-dp": listing = .columns
            case "-v", "-V", "--version": listing = .version
            case "-c":
                guard let name = rest.popFirst() else { throw UsageError("-c needs the name of a configuration file") }
                configuration = name
            default:
                if word.hasPrefix("--") {
                    flags.append(word)
                } else if word.hasPrefix("-"), word.count > 1 {
                    // A value may be negative, or begin with a hyphen like -BACKGROUND or a value of ASSOCSELEC_TYPE,
                    // but is not a key.
                    guard let value = rest.first, !Self.isFlag(value) else { throw UsageError("\(word) needs a value") }
                    rest.removeFirst()
                    settings.append((String(word.dropFirst()), value))
                } else {
                    images.append(word)
                }
            }
        }
    }
}
