internal import CZlib
package import ScanBasics

/// Compresses bytes to a gzip file without name and time: equal bytes give equal files.
package final class GzipStream {
    // Allocated on the heap, because zlib rejects a stream that has moved.
    private let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
    private let sink: ByteSink
    private var room = [UInt8](repeating: 0, count: 1 << 16)

    /// Creates a stream that passes the compressed bytes to `sink`. Error messages contain `name`.
    package init(name: String, to sink: @escaping ByteSink) throws(OutputError) {
        self.sink = sink
        stream.initialize(to: z_stream())
        // The window has 15 bits; adding 16 makes zlib write gzip's header and trailer.
        let status = deflateInit2_(
            stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
            Int32(MemoryLayout<z_stream>.size))
        guard status == Z_OK else { throw OutputError(.failed, "\(name): not enough memory") }
    }

    deinit {
        deflateEnd(stream)
        stream.deallocate()
    }

    package func write(_ bytes: [UInt8]) throws(OutputError) { try compress(bytes, Z_NO_FLUSH) }

    /// Writes the remaining bytes and gzip's trailer.
    package func finish() throws(OutputError) { try compress([], Z_FINISH) }

    private func compress(_ bytes: [UInt8], _ flush: Int32) throws(OutputError) {
        var output: [UInt8] = []
        bytes.withUnsafeBufferPointer { input in
            stream.pointee.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
            stream.pointee.avail_in = UInt32(input.count)
            repeat {
                let count = room.withUnsafeMutableBufferPointer { room in
                    stream.pointee.next_out = room.baseAddress
                    stream.pointee.avail_out = UInt32(room.count)
                    _ = deflate(stream, flush)
                    return room.count - Int(stream.pointee.avail_out)
                }
                output += room[..<count]
            } while stream.pointee.avail_out == 0
        }
        if !output.isEmpty { try sink(output) }
    }
}
