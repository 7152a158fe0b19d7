internal import CFITSIO
import Foundation

/// The samples in the last block of an image whose file ends before the padding of that block.
///
/// Some programs write such files. CFITSIO reads small parts of a file in whole blocks and fails at this one. Its
/// samples are copied to a file in memory, from which CFITSIO converts them like all others.
package final class IncompleteBlock {
    /// Number of the block's first sample in the image's HDU, from 0.
    let first: Int
    private let memory: FITSMemoryFile

    /// CFITSIO's handle of a 1-D image with the samples of the block.
    var handle: UnsafeMutablePointer<fitsfile> { memory.handle }

    /// Copies the last block of the image `opened` in `file`.
    /// - Throws: ``ImageError`` with `truncated` if the file is compressed, in tiles or as a whole; with `unreadable`.
    init(of opened: FITSImage.Opening, in file: FITSFile) throws(ImageError) {
        let (data, size) = (opened.hdu.data, abs(opened.bitpix) / 8)
        guard !opened.isTileCompressed, opened.storedRange != nil,
            data.count == opened.width * opened.height * opened.hdu.planeCount * size
        else {
            throw ImageError(
                .truncated,
                "\(file.path): truncated: \(opened.hdu.words) needs \(opened.hdu.end) bytes, the file has "
                    + "\(file.byteCount); fetch it again, or pad it, decompressed, with: truncate -s %2880")
        }
        let block = FITSMemoryFile.blockLength
        let start = data.upperBound / block * block
        first = (start - data.lowerBound) / size
        let bytes = try Self.bytes(start..<data.upperBound, of: file)
        guard let memory = FITSMemoryFile() else { throw ImageError(.tooLarge, "\(file.path): not enough memory") }
        self.memory = memory
        var status: Int32 = 0
        memory.call { handle, result in
            var length = bytes.count / size
            ffcrim(handle, Int32(opened.bitpix), 1, &length, result)
            for key in ["BLANK", "BSCALE", "BZERO"] { Self.copy(key, from: file, to: handle, result) }
            ffrdef(handle, result)
            var bytes = bytes
            // CFITSIO accesses an image as a table with one row.
            ffptbb(handle, 1, 1, Int64(bytes.count), &bytes, result)
            if opened.scaling != nil { ffpscl(handle, 1, 0, result) }
            status = result.pointee
        }
        guard status == 0 else {
            throw ImageError(.corrupt, "\(file.path): its last block: \(FITSLibrary.words(for: status))")
        }
    }

    private static func bytes(_ range: Range<Int>, of file: FITSFile) throws(ImageError) -> [UInt8] {
        let descriptor = open(file.path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw unreadable(file) }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: range.count)
        let count = bytes.withUnsafeMutableBytes {
            pread(descriptor, $0.baseAddress, $0.count, off_t(range.lowerBound))
        }
        guard count == range.count else { throw unreadable(file) }
        return bytes
    }

    private static func unreadable(_ file: FITSFile) -> ImageError {
        ImageError(.unreadable, "\(file.path): its last block cannot be read; was the file changed or removed?")
    }

    /// Copies the card of a keyword, if it exists.
    private static func copy(
        _ key: String, from file: FITSFile, to handle: UnsafeMutablePointer<fitsfile>,
        _ status: UnsafeMutablePointer<Int32>
    ) {
        var (absent, card): (Int32, [CChar]) = (0, [CChar](repeating: 0, count: Int(FLEN_CARD)))
        ffgcrd(file.handle, key, &card, &absent)
        if absent == 0 { ffprec(handle, card, status) }
    }
}
