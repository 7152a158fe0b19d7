internal import ScanNetwork
package import TaskJournal

extension Checksum {
    /// Returns the checksum of the coded form of `value`.
    package static func of(_ value: some Encodable) throws -> UInt64 { try WireEncoder().encode(value) { of($0) } }
}
