internal import CFITSIO

/// CFITSIO's calls that write cards to the header of the current HDU.
enum HeaderCalls {
    /// Appends a card as it is; one that is none of FITS becomes a comment.
    static func append(
        _ card: String, _ handle: UnsafeMutablePointer<fitsfile>, _ status: UnsafeMutablePointer<Int32>
    ) {
        if card.isEmpty || card == "END" { return }
        var text = Array(card.utf8CString)
        var failure: Int32 = 0
        ffpmrk()
        // A card that is none of FITS stays readable.
        if ffprec(handle, &text, &failure) != 0 {
            ffcmrk()
            ffpcom(handle, FITSMemoryFile.printable(card), status)
        }
    }

    /// Writes an entry; a card with the same keyword is replaced.
    static func replace(
        _ entry: HeaderEntry, _ handle: UnsafeMutablePointer<fitsfile>, _ status: UnsafeMutablePointer<Int32>
    ) {
        let (key, comment) = (FITSMemoryFile.printable(entry.key), FITSMemoryFile.printable(entry.comment))
        switch entry.value {
        case .text(let text): ffukls(handle, key, FITSMemoryFile.printable(text), comment, status)
        case .integer(let value): ffukyj(handle, key, Int64(value), comment, status)
        case .logical(let value): ffukyl(handle, key, value ? 1 : 0, comment, status)
        case .real(let value): ffukyd(handle, key, value, -FITSMemoryFile.digits(of: value), comment, status)
        }
    }
}

extension FITSMemoryFile {
    /// Appends a card as it is; one that is none of FITS becomes a comment.
    package func put(card: String) { call { handle, status in HeaderCalls.append(card, handle, status) } }

    /// Writes an entry; a card with the same keyword is replaced.
    package func replace(_ entry: HeaderEntry) { call { handle, status in HeaderCalls.replace(entry, handle, status) } }

    /// The header of an image of floats whose cards `write` writes, as ``FITSFileWriter`` would write it; nil if CFITSIO
    /// refuses a card. `isExtension`: another HDU is before it.
    package static func header(
        width: Int, height: Int, isExtension: Bool, _ write: (FITSMemoryFile) -> Void
    ) -> FITSHeader? {
        guard let memory = FITSMemoryFile() else { return nil }
        if isExtension { memory.makeEmptyImage() }
        // With the real sides, CFITSIO would allocate the whole image when it closes the file.
        func setSides(_ width: Int, _ height: Int) {
            memory.call { handle, status in
                ffmkyj(handle, "NAXIS1", Int64(width), "&", status)
                ffmkyj(handle, "NAXIS2", Int64(height), "&", status)
            }
        }
        var stub = [0, 0]
        memory.call { handle, status in _ = ffcrim(handle, FLOAT_IMG, 2, &stub, status) }
        write(memory)
        setSides(width, height)
        let bytes = memory.headerBytes()
        setSides(0, 0)
        guard let bytes else { return nil }
        let header = FITSHeader(bytes: bytes)
        guard let end = (0..<header.count).first(where: { header.keyword(at: $0) == "END" }) else { return nil }
        return FITSHeader(bytes: Array(bytes.prefix((end + 1) * FITSHeader.cardLength)))
    }
}
