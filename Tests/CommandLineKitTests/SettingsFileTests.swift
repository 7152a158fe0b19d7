import Foundation
import Testing

import CommandLineKit

@Suite struct SettingsFileTests {
    @Test("lines are read in order; comments and blank lines are skipped")
    func lines() throws {
        let file = try SettingsFile(text: "# mine\n\n depth = 1 \ndepth=2\n", path: "config", keys: ["depth"])
        #expect(file.settings["depth"]?.map(\.text) == ["1", "2"])
        #expect(file.settings["depth"]?.map(\.origin.description) == ["config:3: depth", "config:4: depth"])
    }

    @Test(
        "a wrong line is reported with its place",
        arguments: [
            ("depth", "config:1: expected \"key = value\""),
            ("\n\ndetph = 2", "config:3: unknown setting \"detph\"; did you mean depth?"),
        ])
    func errors(file: String, message: String) {
        #expect(throws: UsageError(message)) { try SettingsFile(text: file, path: "config", keys: ["depth"]) }
    }

    @Test("a missing file is an empty one, and a file that is not text is refused")
    func load() throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
        defer { try? FileManager.default.removeItem(atPath: path) }
        #expect(try SettingsFile.load(path, for: .cutter) == SettingsFile())
        try Data("depth = 7".utf8).write(to: URL(fileURLWithPath: path))
        #expect(try SettingsFile.load(path, for: .cutter).settings["depth"]?.first?.text == "7")
        try Data([0xff, 0xfe]).write(to: URL(fileURLWithPath: path))
        #expect(throws: UsageError.self) { try SettingsFile.load(path, for: .cutter) }
    }
}
