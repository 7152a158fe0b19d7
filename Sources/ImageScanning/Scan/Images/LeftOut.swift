/// A file or folder that a job leaves out, although nothing is wrong with it.
package struct LeftOut: Codable, Equatable, Sendable {
    /// Why it is left out.
    package enum Cause: String, Codable, CaseIterable, Sendable {
        /// The condition of `--where` is false for its images.
        case condition
        /// The condition of `--where` is neither true nor false: a card that it names is missing or cannot be read.
        case card
        /// It holds only tables, spectra or other data of one axis, or nothing.
        case noImage = "no-image"
        /// The folder has no FITS file, or cannot be read.
        case folder
    }

    /// The name of the file, as in the report.
    package var file: String
    package var cause: Cause
    /// The reason in one line. That of a condition has the values of the cards, without the file's name.
    package var reason: String

    /// The name and the reason in one line.
    package var line: String {
        switch cause {
        case .condition, .card: "\(file): left out by --where: \(reason)"
        case .noImage, .folder: reason.replacing("\(file): ", with: "\(file): left out: ", maxReplacements: 1)
        }
    }
}

/// The files that a job leaves out, with their numbers by cause. Only the newest are kept, so that a watch of folders
/// takes no more memory with each file.
package struct LeftOutFiles: Sendable {
    private let limit: Int
    private var kept: [LeftOut] = []
    private(set) var counts: [LeftOut.Cause: Int] = [:]

    /// None; the newest `limit` will be kept.
    package init(limit: Int) { self.limit = limit }

    /// Number of all of them.
    package var count: Int { counts.values.reduce(0, +) }

    /// The newest, at most as many as the limit.
    package var newest: ArraySlice<LeftOut> { kept.suffix(limit) }

    package mutating func append(_ file: LeftOut) {
        counts[file.cause, default: 0] += 1
        kept.append(file)
        if kept.count / 2 >= limit { kept.removeFirst(kept.count - limit) }
    }

    /// The numbers in words, such as "5 left out by --where (2 lack a card that it names)"; nil if there are none.
    package var words: String? {
        let (conditions, cards) = (counts[.condition] ?? 0, counts[.card] ?? 0)
        let lack = cards == 0 ? "" : " (\(cards) for want of a card that it names)"
        let parts = [
            conditions + cards == 0 ? nil : "\(conditions + cards) left out by --where\(lack)",
            counts[.noImage].map { "\($0) left out without an image" },
            counts[.folder].map { "\($0) \($0 == 1 ? "folder" : "folders") left out" },
        ]
        let words = parts.compactMap(\.self).joined(separator: ", ")
        return words.isEmpty ? nil : words
    }
}
