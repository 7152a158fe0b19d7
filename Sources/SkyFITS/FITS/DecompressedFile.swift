import Foundation
internal import ScanBasics

/// The bytes of a FITS file that is compressed as a whole by gzip or bzip2, in memory.
///
/// It ends with the block after the last HDU: what follows, which may be long, is not decompressed. Several members,
/// or streams, as parallel compressors write them, are one file.
package final class DecompressedFile {
    /// The bytes, padded to whole blocks.
    package let bytes: FITSBytes
    /// Bytes without the padding.
    package let byteCount: Int
    /// Whether more follows, which is no part of an HDU.
    let hasTail: Bool
    private let memory: UnsafeMutableRawPointer

    /// - Throws: ``ImageError``, if the file cannot be read, is damaged or truncated, or if the memory is too small.
    package init(path: String, _ storage: FileKind.Storage) throws(ImageError) {
        guard storage != .bzip2 || BZip2Decompressor.isThere else {
            throw ImageError(.unreadable, "\(path): libbz2 is not installed; decompress the file on disk first")
        }
        guard let file = fopen(path, "r") else {
            throw ImageError(.unreadable, "\(path): \(String(cString: strerror(errno)))")
        }
        defer { fclose(file) }
        var target = Blocks()
        let decompressor: (any Decompressor)? = storage == .bzip2 ? BZip2Decompressor() : GzipDecompressor()
        let end = decompressor.map { Self.inflate(file, $0, into: &target) } ?? .tooLarge
        do throws(ImageError) {
            switch end {
            case .complete: break
            case .truncated:
                throw ImageError(.truncated, "\(path): truncated: its compressed bytes end too early; fetch it again")
            case .damaged: throw ImageError(.corrupt, "\(path): the compressed file is damaged; fetch it again")
            case .unreadable: throw ImageError(.unreadable, "\(path): cannot be read any more; was the file changed?")
            case .tooLarge:
                throw ImageError(
                    .tooLarge,
                    "\(path): not enough memory to decompress it, or more than half of this machine's; decompress the"
                        + " file on disk first")
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

    /// Decompresses all parts of `file`.
    private static func inflate(
        _ file: UnsafeMutablePointer<FILE>, _ decompressor: some Decompressor, into target: inout Blocks
    ) -> End {
        let buffer = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: 1 << 18)
        defer { buffer.deallocate() }
        var input = UnsafeBufferPointer(start: buffer.baseAddress, count: 0)
        var (isInPart, parts) = (false, 0)
        while true {
            if input.isEmpty {
                let count = fread(buffer.baseAddress, 1, buffer.count, file)
                if count == 0 { return ferror(file) != 0 ? .unreadable : isInPart ? .truncated : .complete }
                input = UnsafeBufferPointer(start: buffer.baseAddress, count: count)
            }
            if !isInPart {
                // Other bytes after the last part, such as the zeros of a tape's block, do not count.
                if parts > 0, input.first != type(of: decompressor).firstByte { return .complete }
                if parts > 0, !decompressor.restart() { return .tooLarge }
                (isInPart, parts) = (true, parts + 1)
            }
            guard var room = target.room() else { return .tooLarge }
            let capacity = room.count
            let result = decompressor.step(&input, &room)
            target.grow(by: capacity - room.count)
            if target.walk.hasEnded { return .complete }
            if target.isTooLarge { return .tooLarge }
            switch result {
            case .more: continue
            case .end: isInPart = false
            case .strange: return parts > 1 ? .complete : .damaged
            case .damaged: return .damaged
            case .tooLarge: return .tooLarge
            }
        }
    }

    /// Whether its bytes from `position` on begin with these.
    package func begins(_ start: [UInt8], at position: Int) -> Bool {
        position >= 0 && position < byteCount - start.count
            && UnsafeRawBufferPointer(start: memory + position, count: start.count).elementsEqual(start)
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

    /// Whether the headers say that it will have more bytes than half of this machine's memory.
    var isTooLarge: Bool {
        walk.expectedBlocks > (PhysicalMemory.byteCount / 2 - count) / FITSMemoryFile.blockLength
    }

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

    /// Memory for more bytes; nil if there is none.
    mutating func room() -> UnsafeMutableBufferPointer<UInt8>? {
        // Room for the padding of the last block stays.
        if capacity - count < FITSMemoryFile.blockLength {
            // A step that the libraries can count.
            let more = min(max(1 << 20, capacity / 2), 1 << 30)
            guard let grown = realloc(memory, capacity + more + FITSMemoryFile.blockLength) else { return nil }
            memory = grown
            capacity += more
        }
        let start = memory?.advanced(by: count).assumingMemoryBound(to: UInt8.self)
        return UnsafeMutableBufferPointer(start: start, count: capacity - count)
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
