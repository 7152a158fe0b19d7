package import CFITSIO
import Foundation

/// A FITS file that CFITSIO builds in memory, so that errors of writing it to disk are those of the system.
package final class FITSMemoryFile {
    package let handle: UnsafeMutablePointer<fitsfile>
    /// CFITSIO keeps these two addresses and changes the values behind them.
    private let memory: UnsafeMutablePointer<UnsafeMutableRawPointer?>
    private let size: UnsafeMutablePointer<Int>
    private var status: Int32 = 0
    private var isOpen = true

    /// Creates an empty file for about `byteCount` bytes of data; nil if memory is exhausted.
    package init?(expecting byteCount: Int = 0) {
        let memory = UnsafeMutablePointer<UnsafeMutableRawPointer?>.allocate(capacity: 1)
        let size = UnsafeMutablePointer<Int>.allocate(capacity: 1)
        // CFITSIO assumes that the initial memory holds a file of that size: one block of zeros is an empty file.
        memory.initialize(to: calloc(1, Self.blockLength))
        size.initialize(to: Self.blockLength)
        var created: UnsafeMutablePointer<fitsfile>?
        var status: Int32 = 0
        // The expected size is allocated at once, because growing the memory copies it.
        FITSLibrary.run { _ = ffimem(&created, memory, size, byteCount + Self.growth, realloc, &status) }
        guard status == 0, let created else {
            free(memory.pointee)
            memory.deallocate()
            size.deallocate()
            return nil
        }
        (handle, self.memory, self.size) = (created, memory, size)
    }

    deinit {
        if isOpen { close() }
        free(memory.pointee)
        memory.deallocate()
        size.deallocate()
    }

    /// Length of a FITS block in bytes; headers and data are padded to whole blocks.
    package static let blockLength = 2880
    private static let growth = 1 << 20

    /// Calls CFITSIO, unless an earlier call failed.
    package func call(_ body: (UnsafeMutablePointer<fitsfile>, UnsafeMutablePointer<Int32>) -> Void) {
        FITSLibrary.run { body(handle, &status) }
    }

    /// Adds an image without pixels, the primary HDU of a file with tables.
    package func makeEmptyImage() { call { handle, status in ffcrim(handle, BYTE_IMG, 0, nil, status) } }

    /// Writes one entry to the current header.
    package func write(_ entry: HeaderEntry) {
        let (key, comment) = (Self.printable(entry.key), Self.printable(entry.comment))
        call { handle, status in
            switch entry.value {
            case .text(let text): ffpkls(handle, key, Self.printable(text), comment, status)
            case .integer(let value): ffpkyj(handle, key, Int64(value), comment, status)
            case .logical(let value): ffpkyl(handle, key, value ? 1 : 0, comment, status)
            case .real(let value) where value.isFinite:
                ffpkyd(handle, key, value, -Self.digits(of: value), comment, status)
            // A card cannot represent NaN or infinity as a number.
            case .real(let value): ffpkls(handle, key, "\(value)", comment, status)
            }
        }
    }

    /// Writes HISTORY lines, each split into as many cards as necessary.
    package func write(history: [String]) {
        for line in history { call { handle, status in ffphis(handle, Self.printable(line), status) } }
    }

    /// Returns the current header with its END card, padded to whole blocks, or nil if a call failed.
    package func headerBytes() -> [UInt8]? {
        var text: UnsafeMutablePointer<CChar>?
        var count: Int32 = 0
        call { handle, status in ffhdr2str(handle, 0, nil, 0, &text, &count, status) }
        guard status == 0, let text else { return nil }
        defer { call { _, status in fffree(text, status) } }
        let length = Int(count) * FITSHeader.cardLength
        let padding = (Self.blockLength - length % Self.blockLength) % Self.blockLength
        return Array(UnsafeRawBufferPointer(start: text, count: length))
            + [UInt8](repeating: UInt8(ascii: " "), count: padding)
    }

    /// Ends the file and passes its bytes to `body`. Returns CFITSIO's error message on failure, nil on success.
    package func finish<Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Void
    ) throws(Failure) -> String? {
        var end: Int64 = 0
        call { handle, status in
            ffflus(handle, status)
            ffghadll(handle, nil, nil, &end, status)
        }
        close()
        guard status == 0 else { return FITSLibrary.words(for: status) }
        try body(UnsafeRawBufferPointer(start: memory.pointee, count: Int(end)))
        return nil
    }

    private func close() {
        isOpen = false
        var closing: Int32 = 0
        FITSLibrary.run { _ = ffclos(handle, &closing) }
        if status == 0 { status = closing }
    }

    /// Returns the smallest number of significant digits with which `value` is parsed exactly.
    package static func digits(of value: Double) -> Int32 {
        // Swift prints the shortest digits that are parsed as the same number. Leading and trailing zeros are not
        // significant.
        let mantissa = "\(value)".utf8.prefix { $0 != UInt8(ascii: "e") }
        let digits = mantissa.filter { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        let zero = UInt8(ascii: "0")
        let significant = digits.drop { $0 == zero }.count - digits.reversed().prefix { $0 == zero }.count
        return Int32(max(1, significant))
    }

    /// Replaces all characters but printable ASCII, the only ones that FITS headers allow.
    package static func printable(_ text: String) -> String {
        // Fast path: most texts are printable ASCII, which is checked faster by bytes.
        if text.utf8.allSatisfy({ UInt8(ascii: " ")...UInt8(ascii: "~") ~= $0 }) { return text }
        return String(String.UnicodeScalarView(text.unicodeScalars.map { (" "..."~").contains($0) ? $0 : "?" }))
    }
}
