internal import CSEP

/// libsep, with which tests compare the kernel. The process must have its fixed draw, the target CSEP.
package enum SEPLibrary {
    /// A failed call of libsep.
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    /// The version that the library reports.
    package static var version: String { sep_version_string.map { String(cString: $0) } ?? "unknown" }

    // Room for the pixels and branches of every test's image. Set before the first extraction: libsep allocates by these
    // numbers and reads them again later.
    private static let limits: Void = {
        sep_set_extract_pixstack(400_000)
        sep_set_sub_object_limit(8192)
    }()

    /// Throws ``Failure`` unless a call returned 0.
    package static func check(_ call: @autoclosure () -> Int32) throws(Failure) {
        _ = limits
        let status = call()
        if status == 0 { return }
        // As long as sep.h says, and the terminating zero.
        var message = [CChar](repeating: 0, count: 61)
        sep_get_errmsg(status, &message)
        throw Failure(
            description: "SEP: " + String(decoding: message.prefix { $0 != 0 }.map(UInt8.init), as: UTF8.self))
    }
}
