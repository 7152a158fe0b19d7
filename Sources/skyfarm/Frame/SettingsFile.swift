import Foundation

/// Settings that a user keeps: lines of `key = value`, where a key is the long name of an option.
struct SettingsFile: Equatable, Sendable {
    /// By key, in the order of the file.
    var settings: [String: [Setting]] = [:]

    init() {}

    /// Reads the text of a settings file; a key that is not among `keys` is an error.
    init(text: String, path: String, keys: Set<String>) throws(UsageError) {
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

    /// Reads the settings file of the user whose environment this is; a missing file is an empty one.
    static func load(environment: [String: String], keys: Set<String>) throws(UsageError) -> SettingsFile {
        guard let directory = configurationDirectory(environment) else { return SettingsFile() }
        let path = directory + "/config"
        guard FileManager.default.fileExists(atPath: path) else { return SettingsFile() }
        guard let data = FileManager.default.contents(atPath: path) else {
            throw UsageError("\(path): cannot be read; check its permissions")
        }
        guard let text = String(data: data, encoding: .utf8) else {
            throw UsageError("\(path): is not UTF-8 text")
        }
        return try SettingsFile(text: text, path: path, keys: keys)
    }
}

/// `$XDG_CONFIG_HOME/skyfarm`, or below the home directory; nil for a process that has neither.
func configurationDirectory(_ environment: [String: String]) -> String? {
    if let base = environment["XDG_CONFIG_HOME"], base.hasPrefix("/") { return base + "/skyfarm" }
    return environment["HOME"].map { $0 + "/.config/skyfarm" }
}
