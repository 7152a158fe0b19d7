import Foundation

/// A file and an HDU in it: `PATH`, `PATH[2]`, `PATH[SCI]` or `PATH[SCI,1]`; `PATH[2][3]` is the third plane of a cube.
///
/// Only the HDU selector of CFITSIO's extended file name syntax is supported. The rest of the syntax can fetch URLs,
/// run filters and write files, so an untrusted name must never reach that parser.
public struct ImageLocation: Hashable, Sendable, CustomStringConvertible {
    /// Selects an HDU or a plane of it.
    public enum Selector: Hashable, Sendable {
        /// The first HDU with a 2-D image.
        case firstImage
        /// The HDU with this number; 0 is the primary HDU.
        case number(Int)
        /// The first HDU with this EXTNAME, ignoring case, and with this EXTVER if one is given.
        case name(String, version: Int?)
        /// A plane of the HDU that another selector selects; planes count from 1.
        indirect case plane(Int, of: Selector)

        /// The selector without the plane.
        package var hdu: Selector { if case .plane(_, let hdu) = self { hdu } else { self } }

        /// The number of the plane; nil if none is selected.
        package var plane: Int? { if case .plane(let plane, _) = self { plane } else { nil } }

        /// The selector as written after the path.
        package var text: String {
            switch self {
            case .firstImage: ""
            case .number(let number): "[\(number)]"
            case .name(let name, nil): "[\(name)]"
            case .name(let name, let version?): "[\(name),\(version)]"
            case .plane(let plane, let hdu): "\(hdu.text)[\(plane)]"
            }
        }
    }

    /// Path of the file, without the selector.
    public var path: String
    /// The HDU or plane; by default the first image.
    public var selector: Selector

    /// Parses `text`. If a file with the whole name `text` exists, brackets in it are not a selector.
    /// - Throws: ``ImageError`` with `invalidSelector`, if the text in brackets is not an HDU selector.
    public init(_ text: String) throws(ImageError) {
        let brackets = text.indices.filter { text[$0] == "[" && $0 != text.startIndex }
        let exists = ReadableFiles.current.exists
        // Brackets may be part of the file's name: an existing file takes precedence.
        guard text.hasSuffix("]"), let first = brackets.first, !exists(text) else {
            (path, selector) = (text, .firstImage)
            return
        }
        let bracket = brackets.last { exists(String(text[..<$0])) } ?? first
        let inside = text[text.index(after: bracket)...].dropLast()
        guard let selector = Self.parse(inside) else {
            throw ImageError(
                .invalidSelector,
                "\(text): “[\(inside)]” selects no HDU; write FILE[2], FILE[NAME] or FILE[NAME,VERSION], "
                    + "and FILE[2][3] for a plane; no other part of CFITSIO's syntax is allowed")
        }
        (path, self.selector) = (String(text[..<bracket]), selector)
    }

    package init(path: String, selector: Selector) {
        self.path = path
        self.selector = selector
    }

    /// The location in the form that ``init(_:)`` parses.
    public var description: String { path + selector.text }

    private static func parse(_ inside: Substring) -> Selector? {
        guard let end = inside.firstIndex(of: "]") else { return parseHDU(inside) }
        let rest = inside[inside.index(after: end)...]
        guard rest.first == "[", let hdu = parseHDU(inside[..<end]), let plane = natural(trimmed(rest.dropFirst())),
            plane > 0
        else { return nil }
        return .plane(plane, of: hdu)
    }

    private static func natural(_ text: String) -> Int? {
        text.allSatisfy { $0.isASCII && $0.isNumber } ? Int(text) : nil
    }

    private static func parseHDU(_ inside: Substring) -> Selector? {
        let parts = inside.split(separator: ",", omittingEmptySubsequences: false).map(trimmed)
        guard parts.count <= 2, let name = parts.first, !name.isEmpty,
            name.unicodeScalars.allSatisfy({ !"[]:;()<>=*?#'\"".unicodeScalars.contains($0) })
        else { return nil }
        if parts.count == 1 {
            if name.allSatisfy({ $0.isASCII && $0.isNumber }) { return Int(name).map { .number($0) } }
            return .name(name, version: nil)
        }
        return Int(parts[1]).map { .name(name, version: $0) }
    }

    /// Removes surrounding spaces and tabs. Foundation's function takes 0.2 ms at its first use.
    private static func trimmed(_ text: Substring) -> String {
        func isSpace(_ character: Character) -> Bool { character == " " || character == "\t" }
        var rest = text.drop(while: isSpace)
        while let last = rest.last, isSpace(last) { rest.removeLast() }
        return String(rest)
    }
}
