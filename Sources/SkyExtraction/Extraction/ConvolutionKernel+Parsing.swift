public import SkyFITS

extension ConvolutionKernel {
    /// Parses a SExtractor `.conv` file: a line `CONV NORM` or `CONV NONORM`, then one line of numbers per row.
    ///
    /// Lines that begin with `#` are comments. An even side is filled up by zeros at its end, since SExtractor puts the
    /// centre behind the middle.
    /// - Throws: `ScanSetupError` that names the invalid line.
    public init(parsing text: String) throws(ScanSetupError) {
        var rows: [[Float]] = []
        var isNormalized: Bool?
        for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            let words = line.prefix { $0 != "#" }.split { $0.isWhitespace || $0 == "," || $0 == ";" }
            if words.isEmpty { continue }
            guard isNormalized != nil else {
                isNormalized = try Self.isNormalized(words)
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
        guard let isNormalized, let width = rows.first?.count else {
            throw ScanSetupError("the kernel is empty; its file begins with CONV NORM and has one line per row")
        }
        if width % 2 == 0 { rows = rows.map { $0 + [0] } }
        if rows.count % 2 == 0 { rows.append(rows[0].map { _ in 0 }) }
        try self.init(
            width: rows[0].count, height: rows.count, values: rows.flatMap { $0 }, isNormalized: isNormalized)
    }

    /// Reads the first line. Like SExtractor, takes `CONV` alone, and `CONV` before other words, for `CONV NORM`.
    private static func isNormalized(_ words: [Substring]) throws(ScanSetupError) -> Bool {
        guard words.first == "CONV" else {
            throw ScanSetupError(
                "the kernel's file must begin with CONV NORM or CONV NONORM, not '\(words.joined(separator: " "))'")
        }
        switch words.dropFirst().first {
        case nil, "NORM": return true
        case "NONORM": return false
        case let word?:
            throw ScanSetupError("the kernel's first line must be CONV NORM or CONV NONORM, not CONV \(word)")
        }
    }
}
