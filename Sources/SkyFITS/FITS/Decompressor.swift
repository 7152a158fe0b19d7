internal import CBZip2
internal import CZlib

/// A decompressor for the parts of a file: gzip members or bzip2 streams.
protocol Decompressor: AnyObject {
    /// Decompresses bytes of `input` into `output`, and advances both past the bytes that were read and written.
    func step(_ input: inout UnsafeBufferPointer<UInt8>, _ output: inout UnsafeMutableBufferPointer<UInt8>)
        -> DecompressionStep

    /// Prepares for the next part. Returns false if there is not enough memory.
    func restart() -> Bool

    /// First byte of each part.
    static var firstByte: UInt8 { get }
}

/// The result of a decompression step.
enum DecompressionStep {
    case more
    /// The part is complete.
    case end
    /// The bytes are not a compressed part.
    case strange
    case damaged
    case tooLarge
}

/// Decompresses gzip members with zlib.
final class GzipDecompressor: Decompressor {
    // Allocated on the heap, because zlib rejects a stream that has moved.
    private let stream: UnsafeMutablePointer<z_stream>

    static let firstByte: UInt8 = 0x1f

    /// Creates a decompressor; nil if there is not enough memory.
    init?() {
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        // The window has 15 bits; adding 16 makes zlib expect a gzip header.
        guard inflateInit2_(stream, 15 + 16, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else {
            return nil
        }
    }

    deinit {
        inflateEnd(stream)
        stream.deallocate()
    }

    func restart() -> Bool { inflateReset(stream) == Z_OK }

    func step(
        _ input: inout UnsafeBufferPointer<UInt8>, _ output: inout UnsafeMutableBufferPointer<UInt8>
    ) -> DecompressionStep {
        stream.pointee.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
        stream.pointee.avail_in = UInt32(input.count)
        stream.pointee.next_out = output.baseAddress
        stream.pointee.avail_out = UInt32(output.count)
        let result = inflate(stream, Z_NO_FLUSH)
        input = UnsafeBufferPointer(rebasing: input.suffix(Int(stream.pointee.avail_in)))
        output = UnsafeMutableBufferPointer(rebasing: output.suffix(Int(stream.pointee.avail_out)))
        return switch result {
        case Z_STREAM_END: .end
        case Z_OK, Z_BUF_ERROR: .more
        case Z_MEM_ERROR: .tooLarge
        default: .damaged
        }
    }
}

/// Decompresses bzip2 streams with libbz2.
package final class BZip2Decompressor: Decompressor {
    private var stream: OpaquePointer?

    static let firstByte = UInt8(ascii: "B")

    static var isThere: Bool { skyfarm_bzip2_load() != 0 }

    /// Creates a decompressor; nil if there is not enough memory.
    init?() {
        guard let stream = skyfarm_bzip2_new() else { return nil }
        self.stream = stream
    }

    deinit { if let stream { skyfarm_bzip2_free(stream) } }

    func restart() -> Bool {
        if let stream { skyfarm_bzip2_free(stream) }
        stream = skyfarm_bzip2_new()
        return stream != nil
    }

    func step(
        _ input: inout UnsafeBufferPointer<UInt8>, _ output: inout UnsafeMutableBufferPointer<UInt8>
    ) -> DecompressionStep {
        guard let stream, var from = input.baseAddress, var target = output.baseAddress else { return .tooLarge }
        var (inputCount, outputCount) = (UInt32(input.count), UInt32(output.count))
        let result = skyfarm_bzip2_step(stream, &from, &inputCount, &target, &outputCount)
        input = UnsafeBufferPointer(rebasing: input.suffix(Int(inputCount)))
        output = UnsafeMutableBufferPointer(rebasing: output.suffix(Int(outputCount)))
        return switch result {
        case skyfarm_bzip2_more: .more
        case skyfarm_bzip2_end: .end
        case skyfarm_bzip2_strange: .strange
        case skyfarm_bzip2_no_memory: .tooLarge
        default: .damaged
        }
    }
}
