/// An exit status of a process.
package struct ExitCode: Hashable, Sendable {
    package let rawValue: Int32
    /// The meaning in words, for the manual.
    package let meaning: String

    package init(_ rawValue: Int32, _ meaning: String) { (self.rawValue, self.meaning) = (rawValue, meaning) }

    package static let complete = ExitCode(0, "complete")
    package static let failure = ExitCode(1, "failure")
    package static let usage = ExitCode(2, "wrong flags or arguments")
}

/// A failure of a command: one line for the user, and the exit code.
package struct CommandError: Error, Equatable, CustomStringConvertible {
    package var code: ExitCode
    package var description: String

    package init(_ code: ExitCode, _ description: String) { (self.code, self.description) = (code, description) }
}

/// An invalid flag, argument or setting; exit code 2.
package struct UsageError: Error, Equatable, CustomStringConvertible {
    package var description: String
    /// Lines that show the place of the fault to people; nil if the description says it.
    package var excerpt: String?

    package init(_ description: String, excerpt: String? = nil) {
        (self.description, self.excerpt) = (description, excerpt)
    }
}
