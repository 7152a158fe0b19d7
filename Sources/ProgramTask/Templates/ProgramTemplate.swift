/// A text with fields in braces, such as `{stem}.psf`, from which a word or a file name is made for each item. Pure.
///
/// A field is a known word in braces. Other text in braces, such as `{print $1}`, is text, unless it looks like a field:
/// letters only, which is an error. `{{` and `}}` stand for braces.
package struct ProgramTemplate: Equatable, Sendable {
    package enum Field: Equatable, Hashable, Sendable {
        /// Name of the input in the task's folder.
        case input
        /// Path of the first output in the task's folder.
        case output
        /// Name of the input, or text of the item.
        case item
        /// Name of the input without its ending.
        case stem
        /// Folder of the input on the machine that starts the run.
        case folder
        /// Number of the item, from 1.
        case number
        /// Processors of a task.
        case cpus
        /// Path of the shared file of this name in the task's folder.
        case shared(String)

        init?(_ word: String) {
            switch word {
            case "in": self = .input
            case "out": self = .output
            case "item": self = .item
            case "stem": self = .stem
            case "dir": self = .folder
            case "number": self = .number
            case "cpus": self = .cpus
            default:
                guard word.hasPrefix("shared:"), ProgramPath.isName(word.dropFirst(7)) else { return nil }
                self = .shared(String(word.dropFirst(7)))
            }
        }

        /// The field as it is written.
        package var word: String {
            switch self {
            case .input: "{in}"
            case .output: "{out}"
            case .item: "{item}"
            case .stem: "{stem}"
            case .folder: "{dir}"
            case .number: "{number}"
            case .cpus: "{cpus}"
            case .shared(let name): "{shared:\(name)}"
            }
        }

        /// Whether the field differs between the members of a batch.
        var isOfMember: Bool {
            switch self {
            case .input, .item, .stem, .folder: true
            case .output, .number, .cpus, .shared: false
            }
        }
    }

    private enum Part: Equatable, Sendable {
        case text(String)
        case field(Field)
    }

    /// The template as it is written.
    package let text: String
    private let parts: [Part]

    /// - Throws: ``ProgramRefusal`` if a field is unknown.
    package init(_ text: String) throws(ProgramRefusal) {
        self.text = text
        var parts: [Part] = []
        var plain = ""
        var rest = text[...]
        while let character = rest.popFirst() {
            if character == "{" || character == "}", rest.first == character {
                rest.removeFirst()
                plain.append(character)
            } else if character == "{", let end = rest.firstIndex(of: "}") {
                let word = String(rest[..<end])
                if let field = Field(word) {
                    if !plain.isEmpty { parts.append(.text(plain)) }
                    plain = ""
                    parts.append(.field(field))
                    rest = rest[rest.index(after: end)...]
                } else if word.isEmpty || word.allSatisfy({ $0.isASCII && $0.isLetter || $0 == ":" }) {
                    throw ProgramRefusal(
                        "\(text): {\(word)} is none of {in}, {out}, {stem}, {item}, {dir}, {number}, {cpus} and"
                            + " {shared:NAME}; write {{\(word)}} for this text")
                } else {
                    plain.append(character)
                }
            } else {
                plain.append(character)
            }
        }
        if !plain.isEmpty { parts.append(.text(plain)) }
        self.parts = parts
    }

    package var fields: Set<Field> {
        Set(
            parts.compactMap { part in
                if case .field(let field) = part { field } else { nil }
            })
    }

    /// Whether there is a text for each member of a batch.
    package var isOfMember: Bool { fields.contains(where: \.isOfMember) }

    /// The text before the first field.
    package var leadingText: String { if case .text(let text) = parts.first { text } else { "" } }

    /// The text with a value for each field.
    package func expanded(_ value: (Field) -> String) -> String {
        parts.map { part in
            switch part {
            case .text(let text): text
            case .field(let field): value(field)
            }
        }.joined()
    }
}
