/// The bytes of a FITS file in memory, as CFITSIO accesses them: it keeps these two addresses.
///
/// It does not own the bytes, which must live as long as the file is open.
package final class FITSBytes {
    let address: UnsafeMutablePointer<UnsafeMutableRawPointer?>
    let size: UnsafeMutablePointer<Int>

    /// A file of these bytes, which is only read.
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
