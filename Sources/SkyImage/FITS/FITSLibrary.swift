import CFITSIO
import Foundation
internal import ScanBasics

/// Access to CFITSIO, which may or may not have been built for several threads.
enum FITSLibrary {
    // A build without `--enable-reentrant` does not lock its table of open files and its error stack.
    private static let lock: NSLock? = fits_is_reentrant() == 0 ? NSLock() : nil

    /// Runs `body`, in the locale "C": CFITSIO writes numbers as the locale has it, and keeps the decimal point of its first
    /// call. Serialised within the process if CFITSIO requires it.
    static func run<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
        lock?.lock()
        defer { lock?.unlock() }
        return try inCLocale(body)
    }

    /// CFITSIO's message for a status, in lower case for use within a sentence.
    static func words(for status: Int32) -> String {
        var text = [CChar](repeating: 0, count: Int(FLEN_STATUS))
        ffgerr(status, &text)
        return "\(string(text)), CFITSIO status \(status)"
    }

    /// The text of a C buffer up to its terminating zero.
    static func string(_ buffer: [CChar]) -> String {
        String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
