import Foundation

/// The terminal of a descriptor. Its properties are queried each time, since it may be resized.
package struct Terminal: Sendable {
    package var descriptor: Int32

    package init(descriptor: Int32) {
        self.descriptor = descriptor
    }

    package static let standardInput = Terminal(descriptor: STDIN_FILENO)
    package static let standardOutput = Terminal(descriptor: STDOUT_FILENO)
    package static let standardError = Terminal(descriptor: STDERR_FILENO)

    package struct Size: Equatable, Sendable {
        package var columns: Int
        package var rows: Int
    }

    package var isTerminal: Bool { isatty(descriptor) == 1 }

    /// Whether a person typed this command at a shell and waits for it: it leads the group of processes in the foreground
    /// of the terminal. The commands of a script belong to the script's group.
    package static var isTypedCommand: Bool {
        standardError.isTerminal && getpgrp() == getpid() && tcgetpgrp(standardError.descriptor) == getpid()
    }

    /// The current size; nil if this is not a terminal or its size is unknown.
    package var size: Size? {
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return Size(columns: Int(size.ws_col), rows: size.ws_row > 0 ? Int(size.ws_row) : Self.unknown.rows)
    }

    /// Number of columns; nil like ``size``.
    package var width: Int? { size?.columns }

    /// The size, or 80 by 24 if it is unknown; nil while this process is in the background.
    var drawingSize: Size? {
        let foreground = tcgetpgrp(descriptor)
        if foreground > 0, foreground != getpgrp() { return nil }
        return size ?? Self.unknown
    }

    private static let unknown = Size(columns: 80, rows: 24)

    /// Whether the terminal supports escape sequences.
    package func canRedraw(_ environment: [String: String]) -> Bool { isTerminal && environment["TERM"] != "dumb" }

    /// Whether to write colour: on request or, by default, on a terminal that supports it, but never to a file.
    package func usesColor(_ mode: CommonOptions.ColorMode, _ environment: [String: String]) -> Bool {
        switch mode {
        case .always: !isFile
        case .never: false
        case .auto: canRedraw(environment) && (environment["NO_COLOR"] ?? "").isEmpty
        }
    }

    private var isFile: Bool { status.map { $0.st_mode & S_IFMT == S_IFREG } ?? false }

    /// Whether the descriptor is systemd's journal: `JOURNAL_STREAM` has its device and inode (systemd.exec(5)).
    package func isJournal(_ environment: [String: String]) -> Bool {
        guard let stream = environment["JOURNAL_STREAM"], let status else { return false }
        return stream == "\(status.st_dev):\(status.st_ino)"
    }

    private var status: stat? {
        var status = stat()
        return fstat(descriptor, &status) == 0 ? status : nil
    }
}
