package import CFITSIO
internal import CFITSIOSupport
import Foundation
internal import ScanBasics

/// Access to CFITSIO, which may have been built with or without support for threads.
package enum FITSLibrary {
    // A build without `--enable-reentrant` does not lock its table of open files and its error stack.
    private static let lock: NSLock? = fits_is_reentrant() == 0 ? NSLock() : nil

    /// Runs `body` in the "C" locale: CFITSIO formats numbers by the locale, and keeps the decimal point of its first
    /// call. Calls are serialised within the process if CFITSIO requires it.
    package static func run<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
        lock?.lock()
        defer { lock?.unlock() }
        return try inCLocale(body)
    }

    /// Creates a FITS file in the empty file that is open as `descriptor`. The caller closes the descriptor after
    /// CFITSIO has closed the file. Must be called inside ``run(_:)``.
    package static func create(
        _ file: inout UnsafeMutablePointer<fitsfile>?, in descriptor: Int32, _ status: inout Int32
    ) {
        status = driverStatus
        ffinit(&file, "\(driverPrefix)\(descriptor)", &status)
    }

    private static let driverPrefix = "skyfarm://"
    private static let driverStatus: Int32 = {
        let status = fits_init_cfitsio()
        guard status == 0 else { return status }
        return driverPrefix.withCString { prefix in
            // CFITSIO copies the prefix.
            fits_register_driver(
                UnsafeMutablePointer(mutating: prefix), nil, nil, nil, nil, nil, nil, nil, skyfarm_driver_create,
                skyfarm_driver_truncate, skyfarm_driver_close, nil, skyfarm_driver_size, skyfarm_driver_flush,
                skyfarm_driver_seek, skyfarm_driver_read, skyfarm_driver_write)
        }
    }()

    /// Returns CFITSIO's message for a status, for use within a sentence.
    package static func words(for status: Int32) -> String {
        var text = [CChar](repeating: 0, count: Int(FLEN_STATUS))
        ffgerr(status, &text)
        return "\(string(text)), CFITSIO status \(status)"
    }

    /// Returns the text of a C buffer up to its terminating zero.
    package static func string(_ buffer: [CChar]) -> String {
        String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
