package import Foundation

/// Functions shared by the ways to start a process.
package enum SpawnedProcess {
    /// An array of C strings that ends with a null pointer.
    package typealias Strings = [UnsafeMutablePointer<CChar>?]

    /// Calls `body` with a command and its environment as C strings, which are freed afterwards.
    package static func withStrings<Result>(
        _ words: [String], _ environment: [String: String], _ body: (inout Strings, inout Strings) -> Result
    ) -> Result {
        var arguments: Strings = words.map { strdup($0) } + [nil]
        var variables: Strings = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for text in arguments + variables { free(text) } }
        return body(&arguments, &variables)
    }

    /// Waits until a child process has ended.
    /// - Returns: its exit code as in a shell: 128 plus the number of the signal if one ended it.
    @discardableResult
    package static func wait(for process: pid_t) -> Int32 {
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        let signal = status & 0x7f
        return signal == 0 ? status >> 8 & 0xff : 128 + signal
    }
}
