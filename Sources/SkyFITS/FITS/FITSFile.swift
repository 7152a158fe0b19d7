package import CFITSIO
import Foundation
package import ScanBasics

/// A FITS file that is open for reading and positioned at one of its HDUs.
///
/// All functions except `init` must be called inside ``FITSLibrary/run(_:)``.
package final class FITSFile {
    package let path: String
    package let handle: UnsafeMutablePointer<fitsfile>
    /// Positions of the HDUs that are known in advance; see ``use(_:)``.
    package var starts: [Int64] = []
    /// Size of the file in bytes, after decompression if the whole file is compressed. CFITSIO's own size grows when it
    /// moves to an HDU that extends past the end of a file in memory.
    package let byteCount: Int
    /// Whether the file is compressed as a whole.
    package let isCompressed: Bool
    /// Whether further bytes, which are not FITS, follow the decompressed ones.
    let hasTail: Bool
    /// State of the file before it was opened; nil for a file in memory.
    package let state: FileState?
    /// Keeps the descriptor behind `path`, or the bytes of a file in memory, alive.
    private let owner: AnyObject?

    /// Opens `path` as a plain file name, whatever characters it contains.
    package init(path: String, keeping descriptor: OpenDescriptor? = nil) throws(ImageError) {
        let storage = try FileKind.check(path)
        self.path = path
        state = FileState(path: path)
        isCompressed = storage != .plain
        if storage == .gzip || storage == .bzip2 {
            let file = try DecompressedFile(path: path, storage)
            handle = try Self.opened(file.bytes, path)
            (byteCount, hasTail, owner) = (file.byteCount, file.hasTail, file)
        } else {
            if storage == .plain { try Self.checkFirstHeader(path) }
            handle = try Self.opened(path, storage)
            (byteCount, hasTail, owner) = (Int(handle.pointee.Fptr.pointee.filesize), false, descriptor)
        }
    }

    private static func opened(
        _ path: String, _ storage: FileKind.Storage
    ) throws(ImageError) -> UnsafeMutablePointer<fitsfile> {
        // CFITSIO expands "~" and reads standard input for "-" at the beginning of a name.
        let name = path.hasPrefix("/") ? path : "./" + path
        guard name.utf8.count < Int(FLEN_FILENAME) else {
            throw ImageError(.unreadable, "\(path): the name is longer than CFITSIO allows; use a shorter path")
        }
        var opened: UnsafeMutablePointer<fitsfile>?
        var status: Int32 = 0
        FITSLibrary.run { _ = ffdkopn(&opened, name, READONLY, &status) }
        guard status == 0, let opened else {
            if storage == .compressed {
                throw ImageError(
                    .corrupt,
                    "\(path): cannot be decompressed: it is damaged, cut short, of several parts or not FITS; "
                        + "decompress it on disk first")
            }
            throw openingError(path, status)
        }
        return opened
    }

    private static func opened(_ memory: FITSBytes, _ name: String) throws(ImageError) -> UnsafeMutablePointer<fitsfile>
    {
        var opened: UnsafeMutablePointer<fitsfile>?
        var status: Int32 = 0
        // The name is empty because CFITSIO would parse it like a file name.
        FITSLibrary.run { _ = ffomem(&opened, "", READONLY, memory.address, memory.size, 0, nil, &status) }
        guard status == 0, let opened else { throw openingError(name, status) }
        return opened
    }

    /// Rejects a file whose first header is longer than allowed: CFITSIO would search the whole file for its end.
    private static func checkFirstHeader(_ path: String) throws(ImageError) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        // CFITSIO reports the reason when it opens the file.
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 8 * FITSMemoryFile.blockLength)
        for part in 0..<HDULength.maximumBlockCount / 8 {
            let count = bytes.withUnsafeMutableBytes {
                pread(descriptor, $0.baseAddress, $0.count, off_t(part * $0.count))
            }
            for start in stride(from: 0, to: max(0, count - 7), by: FITSHeader.cardLength)
            where bytes[start..<start + 8].elementsEqual("END     ".utf8) { return }
            if count < bytes.count { return }
        }
        throw openingError(path, NO_END)
    }

    /// Opens a file in memory, which must consist of whole blocks: CFITSIO reads the last block to its end, even beyond
    /// the memory. Errors refer to the file as `name`.
    package init(memory: FITSBytes, name: String) throws(ImageError) {
        guard memory.size.pointee.isMultiple(of: FITSMemoryFile.blockLength) else {
            throw ImageError(.truncated, "\(name): have \(memory.size.pointee) bytes, not whole blocks")
        }
        path = name
        (owner, isCompressed, hasTail) = (memory, false, false)
        state = nil
        handle = try Self.opened(memory, name)
        // CFITSIO's size of a file in memory grows with the sizes in headers, beyond the memory.
        byteCount = memory.size.pointee
    }

    /// Whether an extension's header, complete or not, begins at `position`. False for a file that was decompressed by
    /// CFITSIO.
    func beginsHeader(at position: Int) -> Bool {
        if let file = owner as? DecompressedFile { return file.begins(HDULength.extensionStart, at: position) }
        // CFITSIO does not read incomplete blocks.
        if isCompressed { return false }
        return (try? FileKind.bytes(of: path, at: position))?.starts(with: HDULength.extensionStart) == true
    }

    /// Returns the error for a file that ends within the header of an HDU.
    func unendedHeader(_ number: Int) -> ImageError {
        ImageError(.truncated, "\(path): truncated: the header of HDU \(number) does not end; fetch the file again")
    }

    deinit {
        var status: Int32 = 0
        FITSLibrary.run { _ = ffclos(handle, &status) }
    }

    /// Moves to the HDU with this number and describes it, or returns nil if the file ends before it.
    package func move(to number: Int) throws(ImageError) -> HDU? {
        guard (0..<Int(Int32.max) - 1).contains(number) else { return nil }
        let status = go(to: Int32(number + 1))
        if status == END_OF_FILE { return nil }
        if status == BAD_DIMEN {
            let fault = "has tiles or blocks without pixels, or too long a name or number: the header is damaged"
            throw ImageError(.corrupt, "\(path): HDU \(number) \(fault)")
        }
        guard status == 0 else {
            // Some files end with bytes that are not an HDU; the HDUs before them are valid.
            if number > 0 { return nil }
            throw Self.openingError(path, status)
        }
        var hdu = try current(number)
        hdu.data = try extent(of: hdu)
        return hdu
    }

    /// Maximum length of a value that CFITSIO may parse as an integer: for a longer value that is not an integer, it
    /// writes an error message beyond the end of its buffer.
    static let integerLength = 28

    /// Returns the value of an integer keyword of the current HDU, or nil if it is absent.
    package func integer(_ key: String) -> Int? {
        var status: Int32 = 0
        var text = [CChar](repeating: 0, count: Int(FLEN_VALUE))
        ffgkey(handle, key, &text, nil, &status)
        guard status == 0, text.prefix(while: { $0 != 0 }).count <= Self.integerLength else { return nil }
        var value: Int64 = 0
        ffgkyjj(handle, key, &value, nil, &status)
        return status == 0 ? Int(value) : nil
    }

    /// Returns the value of a real keyword of the current HDU, or nil if it is absent.
    package func real(_ key: String) -> Double? {
        var status: Int32 = 0
        var value = 0.0
        ffgkyd(handle, key, &value, nil, &status)
        return status == 0 ? value : nil
    }

    /// Returns the value of a string keyword of the current HDU, or nil if it is absent.
    package func text(_ key: String) -> String? {
        var status: Int32 = 0
        var value = [CChar](repeating: 0, count: Int(FLEN_VALUE))
        ffgkys(handle, key, &value, nil, &status)
        return status == 0 ? FITSLibrary.string(value) : nil
    }

    /// EXTNAME of the table that holds the tiles of a compressed image.
    private static let tableName = "COMPRESSED_IMAGE"

    /// EXTNAME of the current HDU. A compressed image may have the EXTNAME of its table before its own.
    private var extensionName: String? {
        let first = text("EXTNAME")
        guard first == Self.tableName else { return first }
        var (status, card): (Int32, [CChar]) = (0, [CChar](repeating: 0, count: Int(FLEN_CARD)))
        // The search starts after the card that was read last; reading card 0 resets it to the beginning.
        ffgrec(handle, 0, nil, &status)
        guard var key = strdup("EXTNAME") as UnsafeMutablePointer<CChar>? else { return first }
        defer { free(key) }
        while withUnsafeMutablePointer(
            to: &key,
            {
                ffgnxk(
                    handle, UnsafeMutableRawPointer($0).assumingMemoryBound(to: UnsafeMutablePointer<CChar>?.self), 1,
                    nil, 0, &card, &status)
            }) == 0
        {
            let bytes = card.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
            guard case .text(let name) = HeaderCard(bytes)?.value, name != Self.tableName else { continue }
            return name
        }
        return first
    }

    /// The cards of the current HDU as they are stored; empty if they cannot be read.
    var storedHeader: FITSHeader {
        var (status, start, end): (Int32, Int64, Int64) = (0, 0, 0)
        ffghadll(handle, &start, &end, nil, &status)
        guard status == 0, start < end else { return FITSHeader(bytes: []) }
        let bytes = [UInt8](unsafeUninitializedCapacity: Int(end - start)) { buffer, count in
            ffmbyt(handle, start, 0, &status)
            ffgbyt(handle, end - start, buffer.baseAddress, &status)
            count = status == 0 ? Int(end - start) : 0
        }
        return FITSHeader(bytes: bytes)
    }

    private func current(_ number: Int) throws(ImageError) -> HDU {
        var status: Int32 = 0
        var type: Int32 = 0
        ffghdt(handle, &type, &status)
        var content = type == ASCII_TBL ? HDU.Content.asciiTable : .binaryTable
        if type == IMAGE_HDU {
            var count: Int32 = 0
            ffgidm(handle, &count, &status)
            var axes = [Int64](repeating: 0, count: Int(max(count, 0)))
            if count > 0 { ffgiszll(handle, count, &axes, &status) }
            content = count > 0 ? .image(axes: axes.map(Int.init)) : .empty
        }
        guard status == 0 else { throw Self.openingError(path, status) }
        return HDU(
            number: number, name: extensionName, version: integer("EXTVER") ?? 1, content: content,
            isCompanion: number > 0 && text(HDU.companionKeyword) != nil)
    }

    /// Returns the bytes of an HDU's data without the padding of the last block, which may be missing in the file.
    /// - Throws: ``ImageError`` if the data extend past the end of the file.
    private func extent(of hdu: HDU) throws(ImageError) -> Range<Int> {
        var status: Int32 = 0
        var dataStart: Int64 = 0
        ffghadll(handle, nil, &dataStart, nil, &status)
        guard status == 0 else { throw Self.openingError(path, status) }
        let axes = (integer("NAXIS") ?? 0).clamped(to: 0...999)
        guard axes > 0 else { return Int(dataStart)..<Int(dataStart) }
        // Random groups are marked by a first axis of length 0, which does not count.
        let lengths = (1...axes).map { integer("NAXIS\($0)") ?? 0 }
        let counted = lengths[0] == 0 && integer("GCOUNT") != nil ? lengths.dropFirst() : lengths[...]
        var (count, overflow) = (1, false)
        func multiply(_ factor: Int) {
            let product = count.multipliedReportingOverflow(by: factor)
            (count, overflow) = (product.partialValue, overflow || product.overflow)
        }
        counted.forEach(multiply)
        let sum = count.addingReportingOverflow(integer("PCOUNT") ?? 0)
        (count, overflow) = (sum.partialValue, overflow || sum.overflow)
        multiply(integer("GCOUNT") ?? 1)
        multiply(abs(integer("BITPIX") ?? 8) / 8)
        guard !overflow, count < Int.max / 2 else {
            throw ImageError(.tooLarge, "\(path): \(hdu.words) is too large to be addressed; the header is damaged")
        }
        let end = Int(dataStart) + max(0, count)
        guard end <= byteCount else {
            // CFITSIO may have decompressed only a part of the file.
            let isWhole = !isCompressed || owner is DecompressedFile
            throw ImageError(
                .truncated,
                "\(path): truncated: \(hdu.words) needs \(end) bytes, the file has \(byteCount); "
                    + (isWhole ? "fetch it again" : "decompress it on disk first, or fetch it again"))
        }
        return Int(dataStart)..<end
    }

    private static func openingError(_ path: String, _ status: Int32) -> ImageError {
        switch status {
        case END_OF_FILE, READ_ERROR, NO_END, SEEK_ERROR:
            ImageError(.truncated, "\(path): truncated: its header does not end; fetch the file again")
        case DATA_DECOMPRESSION_ERR:
            ImageError(.corrupt, "\(path): the compressed file is damaged; fetch it again")
        case MEMORY_ALLOCATION:
            ImageError(.tooLarge, "\(path): not enough memory to decompress it; decompress the file on disk first")
        case FILE_NOT_OPENED:
            ImageError(.unreadable, "\(path): CFITSIO cannot open it: \(FITSLibrary.words(for: status))")
        default:
            ImageError(.corrupt, "\(path): not a valid FITS file: \(FITSLibrary.words(for: status))")
        }
    }
}

extension Int {
    fileprivate func clamped(to range: ClosedRange<Int>) -> Int {
        Swift.min(Swift.max(self, range.lowerBound), range.upperBound)
    }
}
