package import CommandLineKit
import Console
package import ImageJobs

/// A step: a command of Skyfarm that runs after others.
package struct Step: Equatable, Sendable {
    package var name: String
    package var verb: JobVerb
    /// Arguments of the command.
    package var words: [String]
    /// Names of the steps that must be done before.
    package var after: [String]

    /// The command line, for users.
    package var command: String { commandLine(["skyfarm", verb.rawValue] + words) }
}

/// The steps of a file, in an order in which each comes after those that it names, with the values of its variables.
/// Pure.
package struct StepsFile: Equatable, Sendable {
    package private(set) var steps: [Step] = []

    /// Creates the steps of a text.
    /// - Parameters:
    ///   - text: what the file `name` says.
    ///   - name: of the file, in errors.
    ///   - variables: values that take the place of those of the file.
    /// - Throws: `UsageError`, with the line.
    package init(_ text: StepsText, name: String, variables: [String: String]) throws(UsageError) {
        let known = text.variables.mapValues { $0.words[0] }
        if let unknown = variables.keys.sorted().first(where: { known[$0] == nil }) {
            throw UsageError("\(name): has no variable \(unknown)\(suggestion(for: unknown, among: known.keys))")
        }
        let values = known.merging(variables) { $1 }
        var found: [Step] = []
        for table in text.steps {
            let step = try Self.step(table, name, values)
            if found.contains(where: { $0.name == step.name }) {
                throw UsageError("\(name):\(table.line): two steps have the name \(step.name)")
            }
            found.append(step)
        }
        if found.isEmpty { throw UsageError("\(name): has no [[step]]") }
        for step in found {
            for other in step.after where !found.contains(where: { $0.name == other }) {
                let near = suggestion(for: other, among: found.map(\.name))
                throw UsageError("\(name): step \(step.name): there is no step \(other)\(near)")
            }
        }
        while !found.isEmpty {
            let done = Set(steps.map(\.name))
            guard let place = found.firstIndex(where: { done.isSuperset(of: $0.after) }) else {
                let names = found.map(\.name).joined(separator: ", ")
                throw UsageError("\(name): these steps wait for each other: \(names)")
            }
            steps.append(found.remove(at: place))
        }
    }

    private static func step(
        _ table: StepsText.Table, _ file: String, _ variables: [String: String]
    ) throws(UsageError) -> Step {
        func fault(_ words: String, _ line: Int? = nil) -> UsageError {
            UsageError("\(file):\(line ?? table.line): \(words)")
        }
        guard let name = table.values["name"], !name.isArray, let text = name.words.first, !text.isEmpty,
            text.allSatisfy({ !$0.isWhitespace && !$0.isNewline })
        else { throw fault("the step needs a name without spaces, as in name = \"catalogues\"") }
        guard let command = table.values["command"] else {
            throw fault("step \(text) needs a command, as in command = [\"scan\", \"night/\", \"-o\", \"catalogues/\"]")
        }
        var words: [String] = []
        for word in command.isArray ? command.words : command.words[0].split(separator: " ").map(String.init) {
            let (expanded, unknown) = Self.expanded(word, variables)
            if let unknown {
                let near = suggestion(for: unknown, among: variables.keys)
                throw fault("there is no variable \(unknown)\(near); $$ stands for a dollar sign", command.line)
            }
            words.append(expanded)
        }
        guard let first = words.first, let verb = JobVerb(rawValue: first) else {
            let verbs = JobVerb.allCases.map(\.rawValue)
            let near = suggestion(for: words.first ?? "", among: verbs)
            let words = "step \(text): a command begins with one of \(verbs.joined(separator: ", "))\(near)"
            throw fault(words, command.line)
        }
        words.removeFirst()
        let arguments: Arguments
        do throws(UsageError) {
            arguments = try verb.arguments(words)
            try verb.check(arguments)
        } catch {
            throw fault("step \(text): \(error.description)", command.line)
        }
        let problem =
            verb.problem(arguments) ?? (arguments.flags["watch"] == nil ? nil : "a scan with --watch has no end")
        if let problem { throw fault("step \(text): \(problem)", command.line) }
        return Step(name: text, verb: verb, words: words, after: table.values["after"]?.words ?? [])
    }

    /// The text with the values of `${NAME}`, and the first name that has no value.
    private static func expanded(_ text: String, _ variables: [String: String]) -> (String, unknown: String?) {
        var (result, rest) = ("", text[...])
        while let character = rest.popFirst() {
            if character == "$", rest.first == "$" {
                result.append("$")
                rest.removeFirst()
            } else if character == "$", rest.first == "{", let end = rest.firstIndex(of: "}") {
                let name = String(rest[..<end].dropFirst())
                guard let value = variables[name] else { return (text, name) }
                result += value
                rest = rest[rest.index(after: end)...]
            } else {
                result.append(character)
            }
        }
        return (result, nil)
    }
}
