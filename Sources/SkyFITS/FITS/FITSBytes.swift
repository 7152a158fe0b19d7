/// The bytes of a FITS file in memory, as CFITSIO accesses them: it keeps these two addresses.
///
/// The object does not own the bytes, which must remain valid while the file is open.
package final class FITSBytes {
    let address: UnsafeMutablePointer<UnsafeMutableRawPointer?>
    let size: UnsafeMutablePointer<Int>

    /// Creates a read-only file from these bytes.
    init(_ bytes: UnsafeRawBufferPointer) {
        address = .allocate(capacity: 1)
        size = .allocate(capacity: 1)
        address.initialize(to: UnsafeMutableRawPointer(mutating: bytes.baseAddress))
        size.initialize(to: bytes.count)
    }

    deinit {
        address.deallocate()
        size.deallocate()
    }
}
