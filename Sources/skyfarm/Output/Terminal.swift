import Foundation

/// What is known of the terminal behind a descriptor, asked anew each time: it may be resized.
struct Terminal: Sendable {
    var descriptor: Int32

    static let standardOutput = Terminal(descriptor: STDOUT_FILENO)
    static let standardError = Terminal(descriptor: STDERR_FILENO)

    /// Characters in a line, and lines.
    struct Size: Equatable, Sendable {
        var columns: Int
        var rows: Int
    }

    /// True if a person may be watching.
    var isTerminal: Bool { isatty(descriptor) == 1 }

    /// Nil if this is no terminal or it does not say.
    var size: Size? {
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return Size(columns: Int(size.ws_col), rows: size.ws_row > 0 ? Int(size.ws_row) : Self.unknown.rows)
    }

    /// Characters in a line; nil as for ``size``.
    var width: Int? { size?.columns }

    /// The size, 80 by 24 where it is unknown; nil while another program has the terminal, as when this one was sent to
    /// the background.
    var drawingSize: Size? {
        let foreground = tcgetpgrp(descriptor)
        if foreground > 0, foreground != getpgrp() { return nil }
        return size ?? Self.unknown
    }

    private static let unknown = Size(columns: 80, rows: 24)

    /// Whether a line may be drawn over.
    func canRedraw(_ environment: [String: String]) -> Bool { isTerminal && environment["TERM"] != "dumb" }

    /// Whether colour is wanted and understood. A file never gets any.
    func usesColor(_ mode: CommonOptions.ColorMode, _ environment: [String: String]) -> Bool {
        switch mode {
        case .always: !isFile
        case .never: false
        case .auto: canRedraw(environment) && (environment["NO_COLOR"] ?? "").isEmpty
        }
    }

    private var isFile: Bool { status.map { $0.st_mode & S_IFMT == S_IFREG } ?? false }

    /// Whether the journal of systemd is behind it: `JOURNAL_STREAM` then holds its device and inode (systemd.exec(5)).
    func isJournal(_ environment: [String: String]) -> Bool {
        guard let stream = environment["JOURNAL_STREAM"], let status else { return false }
        return stream == "\(status.st_dev):\(status.st_ino)"
    }

    private var status: stat? {
        var status = stat()
        return fstat(descriptor, &status) == 0 ? status : nil
    }
}
