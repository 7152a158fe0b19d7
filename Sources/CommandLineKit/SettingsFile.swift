import Foundation

/// A user's settings file: lines of `key = value`, where a key is the long name of an option.
package struct SettingsFile: Equatable, Sendable {
    /// Settings by key, in the order of the file.
    package var settings: [String: [Setting]] = [:]

    package init() {}

    /// Parses the text of a settings file.
    /// - Throws: ``UsageError`` if a key is not among `keys`.
    package init(text: String, path: String, keys: Set<String>) throws(UsageError) {
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let content = line.trimmingCharacters(in: .whitespaces)
            if content.isEmpty || content.hasPrefix("#") { continue }
            let place = "\(path):\(index + 1)"
            guard let equals = content.firstIndex(of: "=") else {
                throw UsageError("\(place): expected \"key = value\"")
            }
            let key = content[..<equals].trimmingCharacters(in: .whitespaces)
            let value = content[content.index(after: equals)...].trimmingCharacters(in: .whitespaces)
            guard keys.contains(key) else {
                throw UsageError("\(place): unknown setting \"\(key)\"" + suggestion(for: key, among: keys))
            }
            settings[key, default: []].append(
                Setting(text: value, origin: .file(path: path, line: index + 1, key: key)))
        }
    }

    /// Reads the settings file at `path`. A missing file counts as empty.
    package static func load(_ path: String, for program: ProgramSpec) throws(UsageError) -> SettingsFile {
        guard FileManager.default.fileExists(atPath: path) else { return SettingsFile() }
        guard let data = FileManager.default.contents(atPath: path) else {
            throw UsageError("\(path): cannot be read; check its permissions")
        }
        guard let text = String(data: data, encoding: .utf8) else {
            throw UsageError("\(path): is not UTF-8 text")
        }
        return try SettingsFile(text: text, path: path, keys: program.settingKeys)
    }
}
