package import CommandLineKit
import Foundation
package import ScanBasics
import ScanCluster
package import SkyFITS

/// Names of catalogues, made from those of the images: `cats/{stem}.fits`, `{dir}/{stem}.{extname}.csv` or `FOLDER/`.
package struct OutputTemplate: Hashable, Sendable {
    /// A field of a template.
    enum Field: String, CaseIterable, Sendable {
        /// Folder of the image's file; `.` if the path names none.
        case dir
        /// Name of the image's file without `.fits` and the like.
        case stem
        /// Number of the image's HDU; of a plane of a cube, with that of the plane: `0.2`.
        case ext
        /// EXTNAME of the image's HDU, or its number if it has none.
        case extname
    }

    private enum Part: Hashable, Sendable {
        case text(String)
        case field(Field)
    }

    /// The template, as the user wrote it.
    package let text: String
    private let parts: [Part]

    /// A template. A name that ends in `/`, or is that of a folder, is the folder of catalogues `{stem}.fits`.
    /// - Throws: `UsageError` for an unknown field or a brace without its counterpart.
    package init(_ text: String, of flag: String = "--output") throws(UsageError) {
        self.text = text
        let isFolder = (try? ReadableFiles.current.kind(of: text)) == .folder
        let whole = isFolder && !text.hasSuffix("/") ? text + "/" : text
        parts = try Self.parse(whole.hasSuffix("/") ? whole + "{stem}.fits" : whole, flag)
    }

    private static func parse(_ text: String, _ flag: String) throws(UsageError) -> [Part] {
        var parts: [Part] = []
        var rest = text[...]
        while let open = rest.firstIndex(of: "{") {
            guard let close = rest[open...].firstIndex(of: "}") else {
                throw UsageError("\(flag): \"\(text)\" has a { without a }")
            }
            let name = String(rest[rest.index(after: open)..<close])
            guard let field = Field(rawValue: name) else {
                let known = Field.allCases.map { "{\($0.rawValue)}" }.joined(separator: ", ")
                throw UsageError("\(flag): unknown field {\(name)}; use \(known)")
            }
            parts += [.text(String(rest[..<open])), .field(field)]
            rest = rest[rest.index(after: close)...]
        }
        return parts + [.text(String(rest))]
    }

    /// Whether it is the name of standard output.
    var isStandardOutput: Bool { text == "-" }

    /// A pattern of the names that the template makes, for a shell; nil without fields.
    package var pattern: String? {
        guard hasFields else { return nil }
        return parts.map { part in if case .text(let text) = part { text } else { "*" } }.joined()
    }

    /// Whether the name depends on the image.
    var hasFields: Bool { parts.contains { if case .field = $0 { true } else { false } } }

    /// Whether images of one file have catalogues of their own.
    var isPerImage: Bool { parts.contains(.field(.ext)) || parts.contains(.field(.extname)) }

    /// Whether files of different names have catalogues of different names.
    var isPerFile: Bool { parts.contains(.field(.stem)) }

    /// The name of the catalogue of a file, or, if ``isPerImage``, of one of its images.
    package func name(file path: String, image: ImageExtension? = nil) -> String {
        parts.map { part in
            switch part {
            case .text(let text): text
            case .field(.dir): path.contains("/") ? (path as NSString).deletingLastPathComponent : "."
            case .field(.stem): InputList.stem(of: InputList.lastName(of: path))
            case .field(.ext): image?.label ?? ""
            case .field(.extname): image?.named(Self.fileName) ?? ""
            }
        }.joined()
    }

    /// Makes the folder of a file, unless it exists.
    /// - Throws: ``OutputError``.
    package static func makeFolder(of name: String) throws(OutputError) {
        try AtomicFile.makeFolder(of: name)
    }

    /// An EXTNAME as part of a file's name.
    private static func fileName(_ text: String) -> String {
        // The name of a folder may be made of it, and it is shown.
        if text == "." || text == ".." { return String(repeating: "_", count: text.count) }
        return String(
            text.map { character in
                let isShown = character.unicodeScalars.allSatisfy(\.isPrintable)
                return character == "/" || character.isWhitespace || !isShown ? "_" : character
            })
    }
}

extension ImageExtension {
    /// The numbers of its HDU and plane, as part of a file's name.
    package var label: String { "\(number)" + suffix }

    /// Its EXTNAME as part of a file's name, or the number of its HDU, with the number of its plane.
    fileprivate func named(_ fileName: (String) -> String) -> String { (name.map(fileName) ?? "\(number)") + suffix }

    private var suffix: String { plane.map { ".\($0)" } ?? "" }
}
