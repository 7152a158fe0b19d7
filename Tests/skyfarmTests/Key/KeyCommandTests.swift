import CommandLineKit
import Foundation
import ScanSecurity
import Testing

/// `skyfarm key`, as a user runs it.
@Suite("skyfarm key") struct KeyCommandTests {
    let scene: Scene
    let machine: Machine

    init() throws {
        scene = try Scene()
        machine = Machine(scene, "mine")
    }

    @Test("path needs no key, fingerprint needs one, and export makes it")
    func first() throws {
        #expect(try machine.run(["key", "path"]).output == machine.keyPath + "\n")
        let none = try machine.run(["key", "fingerprint"])
        #expect(none.code == ExitCode.authentication.rawValue && none.output.isEmpty)
        #expect(none.errorLines.count == 1 && none.errors.contains("skyfarm key new"), "\(none.errors)")
        let exported = try machine.run(["key", "export"])
        #expect(exported.code == 0 && exported.errors.isEmpty)
        #expect(try exported.output == machine.store.existingRing().current.exportText() + "\n")
        #expect(try machine.mode(machine.keyPath) == 0o600)
        #expect(try machine.run(["key", "fingerprint"]).output == machine.fingerprint + "\n")
    }

    @Test("export to a file closes it to others, and replaces none")
    func exportFile() throws {
        let file = scene.path("out/key")
        #expect(try machine.run(["key", "export", file]).code == 0)
        #expect(try machine.mode(file) == 0o600)
        #expect(try machine.run(["key", "export", "-"]).output == String(contentsOfFile: file, encoding: .utf8))
        let again = try machine.run(["key", "export", file])
        #expect(again.code == ExitCode.output.rawValue && again.errors.contains("exists: choose another name"))
    }

    @Test("export --json has the key, or the file that holds it, and its fingerprint")
    func exportJSON() throws {
        struct Export: Decodable {
            var v: Int
            var key: String?
            var file: String?
            var fingerprint: String
        }
        func export(_ words: [String]) throws -> Export {
            let result = try machine.run(["key", "export", "--json"] + words)
            #expect(result.code == 0 && result.errors.isEmpty, "\(result.errors)")
            return try JSONDecoder().decode(Export.self, from: Data(result.output.utf8))
        }
        let printed = try export([])
        #expect(try printed.key == machine.store.existingRing().current.exportText())
        #expect(try printed.v == 1 && printed.file == nil && printed.fingerprint == machine.fingerprint)
        let written = try export([scene.path("out/key")])
        #expect(written.key == nil && written.file == scene.path("out/key"))
        #expect(try String(contentsOfFile: scene.path("out/key"), encoding: .utf8) == printed.key.map { $0 + "\n" })
    }

    @Test("import takes a file or standard input, and a key goes from machine to machine in one line")
    func importKey() throws {
        let other = Machine(scene, "other")
        let given = try machine.giveKey(to: other)
        #expect(given.code == 0 && given.output.isEmpty, "\(given.errors)")
        #expect(try other.store.existingRing() == machine.store.existingRing())
        #expect(try given.errors.contains("the cluster key is now \(machine.fingerprint)"))
        #expect(try !given.errors.contains(machine.secret))
        let third = Machine(scene, "third")
        let file = scene.path("out/key")
        _ = try machine.run(["key", "export", file])
        #expect(try third.run(["key", "import", file]).code == 0)
        #expect(try third.fingerprint == machine.fingerprint)
        // Another key is replaced and forgotten.
        let fourth = Machine(scene, "fourth")
        _ = try fourth.run(["key", "new"])
        #expect(try fourth.run(["key", "import"], input: file).code == 0)
        #expect(try fourth.store.existingRing() == machine.store.existingRing())
    }

    static let noKeys: [(String, says: String)] = [
        ("", says: "this is not a cluster key"), ("hello\n", says: "this is not a cluster key"),
        ("skyfarm-key-1-0123456789-00", says: "copy all of it"),
        ("skyfarm-key-1-0123456789-" + String(repeating: "0", count: 64), says: "changed in copying"),
        (String(repeating: "x", count: 100_000), says: "too long"),
    ]

    @Test("import refuses what is no key, and keeps the one it has", arguments: noKeys)
    func importNonsense(text: String, says: String) throws {
        _ = try machine.run(["key", "new"])
        let before = try machine.fingerprint
        let result = try machine.run(["key", "import"], input: try scene.write(text.utf8, "text"))
        #expect(result.code == ExitCode.input.rawValue && result.errorLines.count == 1)
        #expect(result.errors.contains(says), "\(result.errors)")
        #expect(try machine.fingerprint == before)
        #expect(try machine.run(["key", "import", scene.path("none")]).code == ExitCode.input.rawValue)
    }

    @Test("a key in an argument is refused, and not repeated")
    func argument() throws {
        let key = try ClusterKey.random().exportText()
        for words in [["import", key], [key]] {
            let result = try machine.run(["key"] + words)
            #expect(result.code == ExitCode.usage.rawValue)
            #expect(!result.errors.contains(key.suffix(64)) && result.errors.contains("on standard input"))
        }
    }

    @Test("rotate keeps the old key for a stated time, new forgets it")
    func change() throws {
        _ = try machine.run(["key", "new"])
        let first = try machine.fingerprint
        let rotated = try machine.run(["key", "rotate", "--keep", "2"])
        #expect(rotated.code == 0 && rotated.errors.contains("key import --keep 2"), "\(rotated.errors)")
        let ring = try machine.store.existingRing()
        let left = try #require(ring.retired.first).expiry.timeIntervalSinceNow
        #expect(ring.retired.map(\.key.fingerprint.description) == [first] && (7000...7200).contains(left))
        let json = try machine.run(["key", "fingerprint", "--json"])
        #expect(try json.output.contains(machine.fingerprint) && json.output.contains(first))
        #expect(try !json.output.contains(machine.secret))
        let shown = try machine.run(["key", "fingerprint"]).output.split(separator: "\n")
        #expect(shown.count == 2 && shown[1].hasPrefix("\(first) accepted until 2"))
        #expect(try machine.run(["key", "new"]).code == 0)
        #expect(try machine.store.existingRing().retired.isEmpty)
        let other = Machine(scene, "other")
        _ = try other.run(["key", "new"])
        #expect(try machine.giveKey(to: other, "--keep 1").code == 0)
        #expect(try other.store.existingRing().retired.count == 1)
    }

    @Test("words that make no sense are named")
    func usage() throws {
        for (words, says) in [
            (["key"], "ACTION is missing"), (["key", "exprot"], "did you mean export?"),
            (["key", "path", "x"], "key path takes no file"), (["key", "new", "--keep", "1"], "--keep belongs to"),
        ] {
            let result = try machine.run(words)
            #expect(result.code == ExitCode.usage.rawValue && result.errors.contains(says), "\(result.errors)")
        }
        #expect(!FileManager.default.fileExists(atPath: machine.folder))
    }

    @Test("a key that others can read is refused, with what to do", arguments: ["node", "nodes", "scan", "key"])
    func exposed(command: String) throws {
        _ = try machine.run(["key", "new"])
        chmod(machine.keyPath, 0o644)
        let words =
            switch command {
            case "scan": ["scan", try scene.sky(), "-o", scene.path("out/o.csv"), "--node", "127.0.0.1:1"]
            case "key": ["key", "export"]
            default: [command]
            }
        let result = try machine.run(words)
        #expect(result.code == ExitCode.authentication.rawValue && result.output.isEmpty)
        #expect(result.errors.contains("chmod 600 \(machine.keyPath)"), "\(result.errors)")
        #expect(scene.outputs.isEmpty)
    }
}
