import Foundation

/// What is known of the terminal behind a descriptor, asked anew each time: it may be resized.
struct Terminal: Sendable {
    var descriptor: Int32

    static let standardOutput = Terminal(descriptor: STDOUT_FILENO)
    static let standardError = Terminal(descriptor: STDERR_FILENO)

    /// True if a person may be watching.
    var isTerminal: Bool { isatty(descriptor) == 1 }

    /// Characters in a line; nil if this is no terminal or it does not say.
    var width: Int? {
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return Int(size.ws_col)
    }

    /// Whether a line may be drawn over.
    func canRedraw(_ environment: [String: String]) -> Bool { isTerminal && environment["TERM"] != "dumb" }

    /// Whether colour is wanted and understood.
    func usesColor(_ mode: CommonOptions.ColorMode, _ environment: [String: String]) -> Bool {
        switch mode {
        case .always: true
        case .never: false
        case .auto: canRedraw(environment) && (environment["NO_COLOR"] ?? "").isEmpty
        }
    }
}
