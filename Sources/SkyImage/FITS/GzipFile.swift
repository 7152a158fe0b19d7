internal import CZlib
import Foundation

/// The bytes of a FITS file that is compressed as a whole by gzip, in memory.
///
/// It ends with the block after the last HDU: what follows, which may be long, is not decompressed. Several members,
/// as parallel compressors write them, are one file.
final class GzipFile {
    /// The bytes, padded to whole blocks.
    let bytes: FITSBytes
    /// Bytes without the padding.
    let byteCount: Int
    /// Whether more follows, which is no part of an HDU.
    let hasTail: Bool
    private let memory: UnsafeMutableRawPointer

    /// - Throws: ``ImageError``, if the file cannot be read, is damaged or truncated, or if the memory is too small.
    init(path: String) throws(ImageError) {
        guard let file = fopen(path, "r") else {
            throw ImageError(.unreadable, "\(path): \(String(cString: strerror(errno)))")
        }
        defer { fclose(file) }
        var target = Blocks()
        let end = Self.inflate(file, into: &target)
        do throws(ImageError) {
            switch end {
            case .complete: break
            case .truncated:
                throw ImageError(.truncated, "\(path): truncated: its compressed bytes end too early; fetch it again")
            case .damaged: throw ImageError(.corrupt, "\(path): the compressed file is damaged; fetch it again")
            case .unreadable: throw ImageError(.unreadable, "\(path): cannot be read any more; was the file changed?")
            case .tooLarge:
                throw ImageError(
                    .tooLarge, "\(path): not enough memory to decompress it; decompress the file on disk first")
            }
            guard let memory = target.memory, target.isFITS else {
                throw ImageError(.notFITS, "\(path): not a FITS file, but compressed bytes of another kind")
            }
            (self.memory, byteCount, hasTail) = (memory, target.count, target.walk.hasEnded)
            target.pad()
            bytes = FITSBytes(UnsafeRawBufferPointer(start: memory, count: target.paddedCount))
        } catch {
            free(target.memory)
            throw error
        }
    }

    deinit { free(memory) }

    private enum End { case complete, truncated, damaged, unreadable, tooLarge }

    /// Decompresses all members of `file`.
    private static func inflate(_ file: UnsafeMutablePointer<FILE>, into target: inout Blocks) -> End {
        // On the heap: zlib refuses a stream that has moved.
        let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
        defer { stream.deallocate() }
        stream.initialize(to: z_stream())
        // 15 bits of window; adding 16 makes zlib expect a gzip header.
        guard inflateInit2_(stream, 15 + 16, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else {
            return .tooLarge
        }
        defer { inflateEnd(stream) }
        let input = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: 1 << 18)
        defer { input.deallocate() }
        var isInMember = false
        while true {
            if stream.pointee.avail_in == 0 {
                let count = fread(input.baseAddress, 1, input.count, file)
                if count == 0 { return ferror(file) != 0 ? .unreadable : isInMember ? .truncated : .complete }
                (stream.pointee.next_in, stream.pointee.avail_in) = (input.baseAddress, UInt32(count))
            }
            // Other bytes after the last member, such as the zeros of a tape's block, do not count.
            if !isInMember, target.count > 0, stream.pointee.next_in?.pointee != 0x1f { return .complete }
            isInMember = true
            guard target.reserve() else { return .tooLarge }
            let room = target.capacity - target.count
            stream.pointee.next_out = target.memory?.advanced(by: target.count).assumingMemoryBound(to: UInt8.self)
            stream.pointee.avail_out = UInt32(room)
            let result = CZlib.inflate(stream, Z_NO_FLUSH)
            target.grow(by: room - Int(stream.pointee.avail_out))
            if target.walk.hasEnded { return .complete }
            switch result {
            case Z_STREAM_END:
                isInMember = false
                inflateReset(stream)
            case Z_OK, Z_BUF_ERROR: continue
            case Z_MEM_ERROR: return .tooLarge
            default: return .damaged
            }
        }
    }
}

/// A buffer that grows, and what it holds so far.
private struct Blocks {
    private(set) var memory: UnsafeMutableRawPointer?
    private(set) var count = 0
    private(set) var capacity = 0
    private(set) var walk = HDUWalk()
    /// Bytes that `walk` has seen.
    private var walked = 0

    /// Bytes with the padding of the last block.
    var paddedCount: Int {
        let block = FITSMemoryFile.blockLength
        return (count + block - 1) / block * block
    }

    /// Whether it begins as a FITS file does.
    var isFITS: Bool {
        count >= HDUWalk.start.count
            && UnsafeRawBufferPointer(start: memory, count: HDUWalk.start.count).elementsEqual(HDUWalk.start)
    }

    /// Makes room for more; false if there is no memory.
    mutating func reserve() -> Bool {
        // Room for the padding of the last block stays.
        guard capacity - count < FITSMemoryFile.blockLength else { return true }
        // A step that zlib can count.
        let more = min(max(1 << 20, capacity / 2), 1 << 30)
        guard let grown = realloc(memory, capacity + more + FITSMemoryFile.blockLength) else { return false }
        memory = grown
        capacity += more
        return true
    }

    /// More bytes have been written.
    mutating func grow(by more: Int) {
        count += more
        guard let memory else { return }
        while !walk.hasEnded, count - walked >= FITSMemoryFile.blockLength {
            walk.read(UnsafeRawBufferPointer(start: memory + walked, count: FITSMemoryFile.blockLength))
            walked += FITSMemoryFile.blockLength
        }
        // The first block after the last HDU is enough.
        if walk.hasEnded { count = walked }
    }

    /// Fills the last block with zeros.
    func pad() {
        memory?.advanced(by: count).initializeMemory(as: UInt8.self, repeating: 0, count: paddedCount - count)
    }
}
