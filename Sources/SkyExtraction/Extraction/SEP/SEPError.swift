internal import CSEP

/// A failed call of libsep.
public struct SEPError: Error, Equatable, Sendable, CustomStringConvertible {
    /// libsep's status.
    public let status: Int32
    /// libsep's message with its detail.
    public let description: String

    /// The error for `status`, with the detail of this thread's last failure.
    package init(status: Int32) {
        // Buffer sizes as documented in sep.h: 60 and 512 characters and the terminating zero.
        var message = [CChar](repeating: 0, count: 61)
        var detail = [CChar](repeating: 0, count: 513)
        sep_get_errmsg(status, &message)
        sep_get_errdetail(&detail)
        let parts = [message, detail].map { String(decoding: $0.prefix { $0 != 0 }.map(UInt8.init), as: UTF8.self) }
        self.status = status
        description = "SEP: " + parts.filter { !$0.isEmpty }.joined(separator: ": ")
    }

    /// Throws unless `status` is 0.
    package static func check(_ status: Int32) throws(SEPError) {
        if status != 0 { throw SEPError(status: status) }
    }
}
