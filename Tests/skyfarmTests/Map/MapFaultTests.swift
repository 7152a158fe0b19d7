import Foundation
import Testing

/// Faults of single items of `skyfarm map`.
@Suite("faults of single items", .timeLimit(.minutes(10))) struct MapFaultTests {
    let scene: Scene
    let mine: Machine

    init() throws {
        scene = try Scene()
        mine = Machine(scene, "mine")
        mkdir(scene.path("in"), 0o700)
        for number in 1...4 { _ = try scene.write(Array("line \(number)\n".utf8), "in/f\(number).txt") }
    }

    /// Runs a script on this machine.
    private func map(_ script: String, _ words: [String]) throws -> Program.Result {
        let path = try scene.script(script, "work.sh")
        return try mine.run(
            ["map", "work", "--no-discovery", "--local-slots", "1", "--local-program", "work=\(path)"] + words)
    }

    private var inputs: [String] { ["--", scene.path("in")] }

    @Test("an item whose result cannot be written fails alone")
    func unwritable() throws {
        // The folder of the second item cannot be made.
        _ = try scene.write([], "out/f2")
        let words = ["{in}", "-o", scene.path("out/{stem}/n.txt"), "--overwrite"]
        let result = try map("cat $1", words + inputs)
        #expect(result.code == 23 && result.errors.contains("f2.txt failed: "), "\(result.errors)")
        #expect(result.errors.contains("3 of 4 items done, 1 failed"), "\(result.errors)")
        #expect(try scene.bytes("out/f4/n.txt") == Data("line 4\n".utf8))
    }

    @Test(
        "a result outside of the folder of its template is refused by its name", arguments: ["../../x", "/x", "a/../b"])
    func outside(item: String) throws {
        let list = try scene.write(Array("good\n\(item)\n".utf8), "items")
        let result = try map("echo $1", ["{item}", "-o", scene.path("out/{item}.txt"), "--items", list])
        #expect(result.code == 2 && result.errors.contains("map: \(item): the result "), "\(result.errors)")
        #expect(scene.outputs.isEmpty)
        let folders = try scene.write(Array("a/b\n".utf8), "folders")
        #expect(try map("echo $1", ["{item}", "-o", scene.path("out/{item}.txt"), "--items", folders]).code == 0)
        #expect(scene.outputs == ["a"])
    }

    @Test("--retry runs items again that no system could run")
    func refusedItems() throws {
        // The last item's file goes away in the first round, and comes back in the second one.
        for number in 10...30 { _ = try scene.write([65], "in/g\(number).txt") }
        let (last, away, mark) = (scene.path("in/z.txt"), scene.path("away"), scene.path("mark"))
        _ = try scene.write([90], "in/z.txt")
        let script = """
            case $1 in
            f1.txt) mv '\(last)' '\(away)';;
            f2.txt)
                test -e '\(mark).2' && exec cat $1
                test -e '\(mark)' && { mv '\(away)' '\(last)'; touch '\(mark).2'; }
                touch '\(mark)'; exit 5;;
            esac
            cat $1
            """
        let words = ["{in}", "-o", scene.path("out/"), "--retry", "2"]
        let shared = try scene.write([1], "shared")
        let result = try map(script, words + ["--shared", shared] + inputs)
        #expect(result.code == 0 && scene.outputs.count == 26, "\(result.errors)")
    }

    @Test("a shared file that changes during a run ends it with the command that goes on")
    func changedShared() throws {
        let shared = try scene.write(Array("one".utf8), "shared")
        let script = "cat $2 $1"
        let words = ["{in}", "{shared:shared}", "-o", scene.path("out/"), "--resume", "--shared", shared]
        #expect(try map(script, words + inputs).code == 0)
        _ = try scene.write(Array("two".utf8), "shared")
        #expect(try map(script, words + inputs).code == 0)
        #expect(try scene.bytes("out/f1.out") == Data("twoline 1\n".utf8))
    }

    @Test("a file whose name is not UTF-8 fails its item with the reason")
    func foreignName() throws {
        let script = #"test $1 = f2.txt && touch "$(printf 'caf\351')"; touch "$1.new""#
        let result = try map(script, ["{in}", "-o", scene.path("out/"), "--collect"] + inputs)
        #expect(result.code == 23 && result.errors.contains("whose name is not UTF-8"), "\(result.errors)")
        #expect(scene.outputs == ["f1", "f3", "f4"])
    }

    @Test("the variable that names the program of the Python package names none of a node")
    func variable() throws {
        let help = try Program.run(["node", "--help"])
        #expect(help.output.contains("[SKYFARM_PROGRAMS]") && !help.output.contains("[SKYFARM_PROGRAM]"))
        let path = try scene.script("cat $1", "work.sh")
        let environment = mine.environment.merging(
            ["SKYFARM_PROGRAMS": "work=\(path)", "SKYFARM_PROGRAM": "/usr/bin/skyfarm"]) { $1 }
        let node = try Node("n", environment: environment)
        let result = try mine.run(
            ["map", "work", "{in}", "-o", "-", "--no-discovery", "--node", node.address] + inputs)
        #expect(result.code == 0 && result.output.hasPrefix("line 1\n"), "\(result.errors)")
    }
}
