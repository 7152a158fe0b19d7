import Foundation
internal import ScanBasics

/// The decompressed bytes, in memory, of a FITS file that is compressed as a whole with gzip or bzip2.
///
/// The bytes end with the first block after the last HDU: whatever follows may be long and is not decompressed. Several
/// gzip members or bzip2 streams, as written by parallel compressors, form one file.
package final class DecompressedFile {
    /// The bytes, padded to whole FITS blocks.
    package let bytes: FITSBytes
    /// Number of bytes without the padding.
    package let byteCount: Int
    /// Whether more bytes follow that do not belong to an HDU.
    let hasTail: Bool
    private let memory: UnsafeMutableRawPointer

    /// Decompresses the file at `path`.
    /// - Throws: ``ImageError`` if the file cannot be read, is damaged or truncated, or needs too much memory.
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

    /// Decompresses all members or streams of `file`.
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
                // Other bytes after the last part, such as the zeros that pad a tape block, are ignored.
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

    /// Whether the bytes at `position` begin with `start`.
    package func begins(_ start: [UInt8], at position: Int) -> Bool {
        position >= 0 && position < byteCount - start.count
            && UnsafeRawBufferPointer(start: memory + position, count: start.count).elementsEqual(start)
    }
}

/// A growing buffer, and the HDUs found in it so far.
private struct Blocks {
    private(set) var memory: UnsafeMutableRawPointer?
    private(set) var count = 0
    private(set) var capacity = 0
    private(set) var walk = HDUWalk()
    /// Number of bytes that `walk` has read.
    private var walked = 0

    /// Whether the file, by its headers, will need more than half of this machine's memory.
    var isTooLarge: Bool {
        walk.expectedBlocks > (PhysicalMemory.byteCount / 2 - count) / FITSMemoryFile.blockLength
    }

    /// Number of bytes including the padding of the last block.
    var paddedCount: Int {
        let block = FITSMemoryFile.blockLength
        return (count + block - 1) / block * block
    }

    /// Whether the bytes begin like a FITS file.
    var isFITS: Bool {
        count >= HDUWalk.start.count
            && UnsafeRawBufferPointer(start: memory, count: HDUWalk.start.count).elementsEqual(HDUWalk.start)
    }

    /// Returns memory for more bytes, or nil if there is none.
    mutating func room() -> UnsafeMutableBufferPointer<UInt8>? {
        // Room for the padding of the last block is kept.
        if capacity - count < FITSMemoryFile.blockLength {
            // The step is limited to a number that the libraries can represent.
            let more = min(max(1 << 20, capacity / 2), 1 << 30)
            guard let grown = realloc(memory, capacity + more + FITSMemoryFile.blockLength) else { return nil }
            memory = grown
            capacity += more
        }
        let start = memory?.advanced(by: count).assumingMemoryBound(to: UInt8.self)
        return UnsafeMutableBufferPointer(start: start, count: capacity - count)
    }

    /// Accounts for `more` bytes that were written.
    mutating func grow(by more: Int) {
        count += more
        guard let memory else { return }
        while !walk.hasEnded, count - walked >= FITSMemoryFile.blockLength {
            walk.read(UnsafeRawBufferPointer(start: memory + walked, count: FITSMemoryFile.blockLength))
            walked += FITSMemoryFile.blockLength
        }
        // Nothing after the first block that follows the last HDU is needed.
        if walk.hasEnded { count = walked }
    }

    func pad() {
        memory?.advanced(by: count).initializeMemory(as: UInt8.self, repeating: 0, count: paddedCount - count)
    }
}
