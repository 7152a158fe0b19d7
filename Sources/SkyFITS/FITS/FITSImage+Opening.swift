internal import CFITSIO
internal import CNumbers

extension FITSImage {
    /// The properties of an image that was found in a file.
    struct Opening {
        let hdu: HDU
        let width: Int
        let height: Int
        let plane: Int?
        /// See ``FITSImage/planePlace``.
        let planePlace: [Int]
        let bitpix: Int
        let isTileCompressed: Bool
        let header: FITSHeader
        let primary: FITSHeader
        let scaling: SampleScaling?
        /// See ``FITSImage/holdsPlainFloats``.
        let holdsPlainFloats: Bool
        /// See ``FITSImage/plainShorts``; also of data that are incomplete.
        let plainShorts: skyfarm_short_scale?
        /// Byte range of the HDU in the file; nil if the file is compressed as a whole.
        let storedRange: Range<Int>?
        /// The survey of the file; nil unless it was requested.
        let survey: FITSSurvey?

        /// Finds the image at `location`, and leaves `file` positioned at its HDU.
        init(_ file: FITSFile, _ location: ImageLocation, surveys: Bool) throws(ImageError) {
            let found = try Self.find(location, in: file)
            survey = surveys ? file.survey().survey : nil
            primary = found.number > 0 ? Self.primaryHeader(file) : FITSHeader(bytes: [])
            // A survey leaves the file after the image, and reading the primary header leaves it before the image.
            guard let hdu = surveys || found.number > 0 ? try file.move(to: found.number) : found else {
                throw ImageError(.unreadable, "\(location): cannot be read any more; was the file changed?")
            }
            self.hdu = hdu
            let image = try Self.plane(of: hdu, location)
            (width, height, plane, planePlace) = (image.width, image.height, image.plane, image.place)
            let (count, overflow) = width.multipliedReportingOverflow(by: height)
            guard !overflow, count <= maximumPixelCount, max(width, height) < Int(Int32.max) else {
                throw ImageError(
                    .tooLarge, "\(location): \(width)x\(height) pixels are more than can be scanned; cut the image")
            }
            var status: Int32 = 0
            var type: Int32 = 0
            ffgidt(file.handle, &type, &status)
            isTileCompressed = fits_is_compressed_image(file.handle, &status) != 0
            // CFITSIO 4.2 treats such integers as floats.
            guard !isTileCompressed || type != LONGLONG_IMG else {
                throw ImageError(
                    .corrupt,
                    "\(location): 64-bit integers in compressed tiles cannot be read; "
                        + "store the image uncompressed, or as 32-bit integers")
            }
            let whole = Self.header(file, &status)
            header = plane == nil ? whole : whole.ofPlane
            let scale = (try Self.scale("BSCALE", file, header) ?? 1, try Self.scale("BZERO", file, header) ?? 0)
            let fitsFloat = [BYTE_IMG, SHORT_IMG, FLOAT_IMG].contains(type)
            if fitsFloat && scale != (1, 0) {
                ffpscl(file.handle, 1, 0, &status)
                scaling = SampleScaling(scale: Float(scale.0), zero: Float(scale.1))
            } else {
                scaling = nil
            }
            bitpix = Int(type)
            holdsPlainFloats =
                type == FLOAT_IMG && !isTileCompressed && Self.isPlain(file, byteCount: 4 * count * hdu.planeCount)
            plainShorts =
                type == SHORT_IMG && !isTileCompressed && Self.isPlain(file, byteCount: 2 * count * hdu.planeCount)
                ? skyfarm_short_scale(scale: scaling?.scale ?? 1, zero: scaling?.zero ?? 0, blank: Self.blank(file))
                : nil
            var (first, end): (Int64, Int64) = (0, 0)
            ffghadll(file.handle, &first, nil, &end, &status)
            storedRange = file.isCompressed || end < first ? nil : Int(first)..<Int(end)
            guard status == 0 else {
                throw ImageError(
                    .corrupt, "\(location): the header is damaged: \(FITSLibrary.words(for: status))")
            }
        }

        /// Whether CFITSIO treats the image as `byteCount` unscaled bytes. The cards do not tell, because a card may
        /// occur twice in a header.
        private static func isPlain(_ file: FITSFile, byteCount: Int) -> Bool {
            let facts = file.handle.pointee.Fptr.pointee
            guard facts.numrows == 1, facts.rowlength == byteCount, facts.tfield == 2, let columns = facts.tableptr
            else { return false }
            // The first column holds the parameters of a random group.
            return columns[1].tscale == 1 && columns[1].tzero == 0
        }

        /// The integer that CFITSIO takes for a blank one; none has 32 bits.
        private static func blank(_ file: FITSFile) -> Int32 {
            let stored = file.handle.pointee.Fptr.pointee.tableptr.map { $0[1].tnull }
            return stored.flatMap { Int16(exactly: $0) }.map(Int32.init) ?? .max
        }

        /// Byte range of the image in the file; for a compressed image, of the table that holds its tiles.
        var data: Range<Int> {
            guard let plane, !isTileCompressed else { return hdu.data }
            let size = width * height * abs(bitpix) / 8
            let start = hdu.data.lowerBound + (plane - 1) * size
            return start..<start + size
        }

        /// Returns size, plane number and plane position of the 2-D image that a location selects in an HDU.
        private static func plane(
            of hdu: HDU, _ location: ImageLocation
        ) throws(ImageError) -> (width: Int, height: Int, plane: Int?, place: [Int]) {
            let count = hdu.planeCount
            guard case .image(let axes) = hdu.content, let size = hdu.planeSize, count > 0,
                count == 1 || location.selector.plane != nil
            else {
                let advice = HDU.advice([hdu], path: location.path)
                throw ImageError(
                    .noImage, "\(location): holds no 2-D image: \(hdu.words); choose another HDU\(advice)")
            }
            guard count <= PlaneChoice.limit else {
                throw ImageError(.tooLarge, "\(location): \(count) planes are more than can be selected; cut the cube")
            }
            let plane = location.selector.plane ?? 1
            guard plane <= count else {
                throw ImageError(
                    .noSuchHDU, "\(location): no such plane: \(hdu.words); its planes are 1 to \(count)")
            }
            var rest = plane - 1
            let place = axes.dropFirst(2).map { length in
                defer { rest /= length }
                return rest % length + 1
            }
            return (size.width, size.height, count == 1 ? nil : plane, place)
        }

        private static func find(_ location: ImageLocation, in file: FITSFile) throws(ImageError) -> HDU {
            var seen: [HDU] = []
            if case .number(let number) = location.selector.hdu, let hdu = try file.move(to: number) { return hdu }
            while let hdu = try file.move(to: seen.count) {
                if hdu.matches(location.selector) { return hdu }
                seen.append(hdu)
            }
            if let last = seen.last, file.beginsHeader(at: last.end) { throw file.unendedHeader(seen.count) }
            let list = HDU.words(seen)
            if location.selector.hdu == .firstImage {
                let advice = HDU.advice(seen, path: location.path)
                throw ImageError(.noImage, "\(location): holds no 2-D image; it has \(list)\(advice)")
            }
            throw ImageError(.noSuchHDU, "\(location): no such HDU; the file has \(list); choose one of these")
        }

        /// Returns the number in a card that scales samples, or nil without the card.
        private static func scale(_ keyword: String, _ file: FITSFile, _ header: FITSHeader) throws(ImageError)
            -> Double?
        {
            // CFITSIO interprets T as 1.
            guard header.number(keyword) != nil || header.words(keyword) == nil else {
                throw ImageError(
                    .corrupt,
                    "\(file.path): \(keyword) is \(FITSMemoryFile.printable(header.words(keyword) ?? "")), no number: the "
                        + "samples have no value; correct the card")
            }
            return file.real(keyword)
        }

        /// Returns the cards of the primary header, which an extension inherits, or none if it cannot be read.
        private static func primaryHeader(_ file: FITSFile) -> FITSHeader {
            var status: Int32 = 0
            guard (try? file.move(to: 0)) != nil else { return FITSHeader(bytes: []) }
            return header(file, &status)
        }

        private static func header(_ file: FITSFile, _ status: inout Int32) -> FITSHeader {
            var text: UnsafeMutablePointer<CChar>?
            var count: Int32 = 0
            // CFITSIO may have allocated memory even if it fails.
            func free() {
                var ignored: Int32 = 0
                fffree(text, &ignored)
                text = nil
            }
            defer { free() }
            ffcnvthdr2str(file.handle, 0, nil, 0, &text, &count, &status)
            if status == UNKNOWN_REC {
                // CFITSIO 4.2 cannot convert every table header to an image header; the table header has the same
                // coordinates.
                status = 0
                free()
                ffhdr2str(file.handle, 0, nil, 0, &text, &count, &status)
            }
            guard status == 0, let text else { return FITSHeader(bytes: []) }
            let bytes = UnsafeRawBufferPointer(start: text, count: Int(count) * FITSHeader.cardLength)
            return FITSHeader(bytes: Array(bytes))
        }
    }
}
