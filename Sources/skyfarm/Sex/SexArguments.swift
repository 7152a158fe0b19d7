import CommandLineKit
import SkyImage

/// The command line of SExtractor: `IMAGE [-c FILE] [-KEY VALUE]...`, with flags of `skyfarm scan` between.
struct SexArguments: Equatable, Sendable {
    /// What is printed instead of a scan.
    enum Listing: Equatable, Sendable {
        case configuration(isComplete: Bool)
        case columns
    }

    var images: [String] = []
    var listing: Listing?
    /// Nil: `default.sex`, if it exists.
    var configuration: String?
    /// Keys and values, in order.
    var settings: [(key: String, value: String)] = []
    /// Flags of `skyfarm scan`, as `--flag` or `--flag=value`.
    var flags: [String] = []

    static func == (left: SexArguments, right: SexArguments) -> Bool {
        left.images == right.images && left.listing == right.listing && left.configuration == right.configuration
            && left.flags == right.flags && left.settings.elementsEqual(right.settings, by: ==)
    }

    /// Parses the words after the command's name.
    /// - Throws: `UsageError`.
    init(_ words: [String]) throws(UsageError) {
        var rest = words[...]
        while let word = rest.popFirst() {
            switch word {
            case "-d": listing = .configuration(isComplete: false)
            case "-dd": listing = .configuration(isComplete: true)
            case "-dp": listing = .columns
            case "-c":
                guard let name = rest.popFirst() else { throw UsageError("-c needs the name of a configuration file") }
                configuration = name
            default:
                if word.hasPrefix("--") {
                    flags.append(word)
                } else if word.hasPrefix("-"), word.count > 1 {
                    guard let value = rest.first, Self.isValue(value) else { throw UsageError("\(word) needs a value") }
                    rest.removeFirst()
                    settings.append((String(word.dropFirst()), value))
                } else {
                    images.append(word)
                }
            }
        }
    }

    /// Whether a word is no key: the first of its values may be a negative number, or a check image such as
    /// `-BACKGROUND`.
    private static func isValue(_ word: String) -> Bool {
        let first = String(word.prefix { $0 != "," })
        return !word.hasPrefix("-") || Double(first) != nil || CheckImage(name: first) != nil
    }
}
