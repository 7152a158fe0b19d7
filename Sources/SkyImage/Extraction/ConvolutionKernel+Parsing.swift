extension ConvolutionKernel {
    /// Parses a SExtractor `.conv` file: a line `CONV NORM`, then one line of numbers per row.
    ///
    /// Lines that begin with `#` are comments.
    /// - Throws: ``ScanSetupError`` that names the invalid line.
    public init(parsing text: String) throws(ScanSetupError) {
        var rows: [[Float]] = []
        var hasHeader = false
        for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            let words = line.split(whereSeparator: \.isWhitespace)
            guard let first = words.first, !first.hasPrefix("#") else { continue }
            if !hasHeader {
                try Self.checkHeader(words)
                hasHeader = true
                continue
            }
            var row: [Float] = []
            for word in words {
                guard let value = Float(word), value.isFinite else {
                    throw ScanSetupError("line \(index + 1) of the kernel: '\(word)' is not a number")
                }
                row.append(value)
            }
            if let width = rows.first?.count, row.count != width {
                throw ScanSetupError("line \(index + 1) of the kernel has \(row.count) values, the first row \(width)")
            }
            rows.append(row)
        }
        guard hasHeader, let width = rows.first?.count else {
            throw ScanSetupError("the kernel is empty; its file begins with CONV NORM and has one line per row")
        }
        try self.init(width: width, height: rows.count, values: rows.flatMap { $0 })
    }

    private static func checkHeader(_ words: [Substring]) throws(ScanSetupError) {
        guard words.first == "CONV" else {
            throw ScanSetupError("the kernel's file must begin with CONV NORM, not '\(words.joined(separator: " "))'")
        }
        guard words.count == 2, words[1] == "NORM" else {
            throw ScanSetupError("the kernel's first line must be CONV NORM: kernels are always normalised")
        }
    }
}
