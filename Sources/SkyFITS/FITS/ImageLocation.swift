import Foundation

/// A file and the HDU in it: `PATH`, `PATH[2]`, `PATH[SCI]` or `PATH[SCI,1]`; `PATH[2][3]` is the third plane of a cube.
///
/// Only the HDU selector of CFITSIO's extended file name syntax is supported. The rest of the syntax can fetch URLs,
/// run filters and write files, so an untrusted name must never reach that parser.
public struct ImageLocation: Hashable, Sendable, CustomStringConvertible {
    /// Selects the HDU.
    public enum Selector: Hashable, Sendable {
        /// The first HDU that holds a 2-D image.
        case firstImage
        /// The HDU with this number; 0 is the primary one.
        case number(Int)
        /// The first HDU with this EXTNAME, ignoring case, and with this EXTVER if one is given.
        case name(String, version: Int?)
        /// A plane of the image that another selector selects; the first one is 1.
        indirect case plane(Int, of: Selector)

        /// The selector of the HDU.
        package var hdu: Selector { if case .plane(_, let hdu) = self { hdu } else { self } }

        /// The plane; nil for an image that has one.
        package var plane: Int? { if case .plane(let plane, _) = self { plane } else { nil } }

        /// As it is written after the path.
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

    /// The file.
    public var path: String
    /// The HDU.
    public var selector: Selector

    /// Parses `text`. If a file has `text` as its whole name, brackets in it are not a selector.
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

    /// The location as a user writes it.
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

    /// Without the spaces and tabs around it. Foundation's function takes 0.2 ms when it is first used.
    private static func trimmed(_ text: Substring) -> String {
        func isSpace(_ character: Character) -> Bool { character == " " || character == "\t" }
        var rest = text.drop(while: isSpace)
        while let last = rest.last, isSpace(last) { rest.removeLast() }
        return String(rest)
    }
}
