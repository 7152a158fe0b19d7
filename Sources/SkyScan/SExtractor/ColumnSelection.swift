public import SkyExtraction
public import SkyFITS

/// An ordered list of columns with SExtractor's names, as in a `.param` file.
public struct ColumnSelection: Codable, Hashable, Sendable {
    /// A column and the size of its vector.
    public struct Item: Codable, Hashable, Sendable {
        /// SExtractor's name, such as `MAG_APER`.
        public var name: String
        /// Lengths of the vector's axes; empty for a single value.
        public var size: [Int]
    }

    /// The selected columns, in order and without duplicates.
    public private(set) var items: [Item] = []
    /// Names that are not columns of SExtractor or are not supported by Skyfarm, in order.
    public private(set) var unknown: [String] = []
    /// Names of columns that follow another one on a line of a file, where SExtractor ignores them.
    public private(set) var ignored: [String] = []

    /// Creates an empty selection.
    public init() {}

    /// Parses a text with one column per line, such as `MAG_APER(4)` or `MAG_APER[4]`, which may be followed by a
    /// description; `#` begins a comment.
    /// - Parameters:
    ///   - text: contents of the file.
    ///   - name: name of the file, for errors.
    /// - Throws: `ScanSetupError` that names the line of an invalid size.
    public init(parsing text: String, name: String) throws(ScanSetupError) {
        for (number, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            let content = line.prefix { $0 != "#" }
            guard let (word, rest) = Self.firstWord(of: content) else { continue }
            do {
                try add(word)
            } catch {
                throw ScanSetupError("\(name):\(number + 1): \(error)")
            }
            for word in rest.split(whereSeparator: { $0.isWhitespace || $0 == "," || $0 == ";" })
            where SExtractorColumn.named(String(word)) != nil {
                ignored.append(String(word))
            }
        }
    }

    /// Splits a line into a name with its size, from which blanks are removed, and the rest. Returns nil for an empty
    /// line.
    private static func firstWord(of line: Substring) -> (word: String, rest: Substring)? {
        let content = line.drop(while: \.isWhitespace)
        let name = content.prefix { !$0.isWhitespace && !"([,;".contains($0) }
        let rest = content[name.endIndex...]
        if name.isEmpty, rest.isEmpty { return nil }
        let size = rest.drop(while: \.isWhitespace)
        // A description may begin with a parenthesis; in a size, a number follows the parenthesis.
        let isSize =
            rest.first.map { "([".contains($0) } ?? false
            || size.first.map { "([".contains($0) } ?? false
                && size.dropFirst().first { !$0.isWhitespace }?.isNumber ?? false
        guard isSize else { return (String(name), rest) }
        let end = size.firstIndex { ")]".contains($0) }.map { size.index(after: $0) } ?? size.endIndex
        return (name + size[..<end].filter { !$0.isWhitespace }, size[end...])
    }

    /// Parses a list of names that are separated by commas outside of parentheses.
    /// - Throws: `ScanSetupError` for an unknown name or an invalid size.
    public init(list: String) throws(ScanSetupError) {
        var depth = 0
        let words = list.split { character in
            if character == "(" || character == "[" { depth += 1 }
            if character == ")" || character == "]" { depth -= 1 }
            return depth == 0 && (character == "," || character.isWhitespace)
        }
        for word in words { try add(String(word)) }
        if let name = unknown.first { throw ScanSetupError("\(name): no such column; see skyfarm sex -dp") }
        if items.isEmpty { throw ScanSetupError("the list names no column") }
    }

    private mutating func add(_ word: String) throws(ScanSetupError) {
        // SExtractor accepts both kinds of brackets.
        let word = word.replacing("[", with: "(").replacing("]", with: ")")
        let name = String(word.prefix { $0 != "(" }).uppercased()
        var size = try Self.size(word)
        guard let column = SExtractorColumn.named(name) else {
            if !unknown.contains(name) { unknown.append(name) }
            return
        }
        if name == "VIGNET" {
            // As in SExtractor, a missing size is 1.
            size += Array(repeating: 1, count: max(0, 2 - size.count))
            let sides = 1...MeasurementRequest.Limits.vignetteSide
            guard size.count == 2, size.allSatisfy(sides.contains) else {
                throw ScanSetupError("\(word): VIGNET has a width and a height of 1 to \(sides.upperBound) pixels")
            }
        } else if !size.isEmpty {
            guard column.isVector || size == [1] else { throw ScanSetupError("\(word): \(name) is not a vector") }
            let counts = 1...MeasurementRequest.Limits.apertureCount
            guard size.count == 1, counts.contains(size[0]) else {
                throw ScanSetupError("\(word): a vector has 1 to \(counts.upperBound) elements")
            }
        }
        let item = Item(name: name, size: column.isVector || name == "VIGNET" ? size : [])
        // Lists may contain MAG_APER(1), MAG_APER(2) and so on. As in SExtractor, the last line determines the size.
        if let place = items.firstIndex(where: { $0.name == name }) {
            items[place] = item
        } else {
            items.append(item)
        }
    }

    private static func size(_ word: String) throws(ScanSetupError) -> [Int] {
        guard let open = word.firstIndex(of: "(") else { return [] }
        let rest = word[word.index(after: open)...]
        let numbers = rest.dropLast().split(separator: ",", omittingEmptySubsequences: false).map { Int($0) }
        guard rest.last == ")", !numbers.isEmpty, !numbers.contains(nil) else {
            throw ScanSetupError("\(word): the size of a vector is one or two whole numbers in parentheses")
        }
        return numbers.compactMap(\.self)
    }

    /// Returns whether the column of this name is selected.
    public func contains(_ name: String) -> Bool { items.contains { $0.name == name } }

    /// Whether a selected column needs a flag image.
    public var needsFlagImage: Bool { columns.contains(where: \.needsFlagImage) }

    /// Whether a selected column needs an ``Association``.
    public var needsAssociation: Bool { columns.contains(where: \.isAssociated) }

    /// Whether a selected column needs `MeasurementRequest.pointSpread`.
    public var needsPointSpread: Bool { columns.contains(where: \.isFitted) }

    /// Whether a selected column needs `PointSpreadModel.extended`.
    public var needsSpread: Bool { columns.contains(where: \.needsSpread) }

    package var columns: [SExtractorColumn] { items.compactMap { SExtractorColumn.named($0.name) } }

    /// Adds the measurements that the columns need to `request`, and removes those that they do not need.
    public func require(in request: inout MeasurementRequest) {
        request.isWindowed = columns.contains(where: \.isWindowed)
        request.petrosian = columns.contains(where: \.isPetrosian) ? request.petrosian ?? .init() : nil
        if let vignette = items.first(where: { $0.name == "VIGNET" }) {
            (request.vignetteWidth, request.vignetteHeight) = (vignette.size[0], vignette.size[1])
        }
    }
}
