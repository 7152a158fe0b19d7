import CommandLineKit
import ScanBasics
import Testing

import StepsCommand

/// Files of steps, as text.
@Suite("files of steps") struct StepsFileTests {
    private func steps(_ text: String, _ variables: [String: String] = [:]) throws -> [Step] {
        try StepsFile(StepsText(text, name: "night.toml"), name: "night.toml", variables: variables).steps
    }

    private static let chain = #"""
        # A night.
        [variables]
        night = "2026-11-27"   # of the file
        dir = 'raw\'

        [[step]]
        name = "psf"
        after = "scan"
        command = ["map", "psfex", "{in}", "--out", "{stem}.psf", "-o", "psf/",
            "${dir}$$", "--", "cat/${night}/", ]  # a comma at the end

        [[step]]
        name = 'scan'
        command = "scan ${night}/*.fits -o cat/${night}/"
        """#

    @Test("steps come after those that they name, with the values of variables in their words")
    func chain() throws {
        let steps = try steps(Self.chain)
        #expect(steps.map(\.name) == ["scan", "psf"])
        #expect(steps[0].words == ["2026-11-27/*.fits", "-o", "cat/2026-11-27/"])
        #expect(steps[1].words.suffix(3) == [#"raw\$"#, "--", "cat/2026-11-27/"] && steps[1].after == ["scan"])
        let other = try self.steps(Self.chain, ["night": "a b"])
        #expect(other[0].words[0] == "a b/*.fits" && other[0].words.count == 3)
    }

    @Test(
        "what is wrong is named with its line and, if there is one, the remedy",
        arguments: [
            ("[[step]]\nname = \"a\"\ncommand = \"scna x -o y\"", "3: step a: a command begins with"),
            ("[[step]]\nname = \"a\"\ncommand = \"nodes\"", "begins with one of scan, combine, calibrate, map"),
            ("[[step]]\nname = \"a\"", "1: step a needs a command"),
            ("[[step]]\ncommand = \"scan x -o y.csv\"", "1: the step needs a name"),
            ("[[step]]\nname = \"a\"\ncommand = \"scan x -o ${n}\"", "3: there is no variable n"),
            ("[[step]]\nname = \"a\"\ncommand = [\"scan\", \"x\"", "3: the array that begins in line 3 has no end"),
            ("[[step]]\nname = \"a\n", "2: the string has no closing"),
            ("[[step]]\nnam = \"a\"", "2: a step has no \"nam\"; did you mean name?"),
            ("[[step]]\nname = 7", "2: expected a string in quotes"),
            ("[[steps]]", "1: [[steps]] is neither"),
            ("name = \"a\"", "1: name: write [variables] or [[step]] above it"),
            ("[variables]\na = \"1\"\na = \"2\"", "3: the variable a is there twice"),
            ("", "has no [[step]]"),
            ("[[step]]\nname = \"a\"\ncommand = \"scan x -o -\"", "name the results with -o FILE"),
            ("[[step]]\nname = \"a\"\ncommand = \"scan --watch x -o y/\"", "has no end"),
            ("[[step]]\nname = \"a\"\ncommand = \"scan x -o y --thresold 3\"", "did you mean --threshold"),
            (
                "[[step]]\nname = \"a\"\nafter = \"b\"\ncommand = \"scan x -o y.csv\"\n[[step]]\nname = \"b\"\n"
                    + "after = [\"a\"]\ncommand = \"scan x -o z.csv\"", "these steps wait for each other: a, b"
            ),
            ("[[step]]\nname = \"a\"\nafter = \"c\"\ncommand = \"scan x -o y.csv\"", "step a: there is no step c"),
        ])
    func wrong(text: String, words: String) {
        let error = #expect(throws: UsageError.self) { try steps(text) }
        #expect(error?.description.contains("night.toml:") == true && error?.description.contains(words) == true)
    }

    @Test("a value for a variable that the file does not have is refused")
    func unknownVariable() {
        let error = #expect(throws: UsageError.self) { try steps(Self.chain, ["nigth": "x"]) }
        #expect(error?.description == "night.toml: has no variable nigth; did you mean night?")
    }

    @Test("a step runs again if its command, the content of an input or a result has changed, not for a time alone")
    func decision() {
        func input(_ path: String, _ checksum: UInt64, time: Int64 = 1) -> StepInput {
            StepInput(file: WrittenFile(path: path, size: 1, modified: time), checksum: checksum)
        }
        let result = WrittenFile(path: "o", size: 5, modified: 1)
        var last = StepRecord(command: "c", inputs: [input("a", 1), input("b", 2)])
        (last.outputs, last.isDone) = ([result], true)
        func reason(_ command: String, _ inputs: [StepInput], _ present: WrittenFile?) -> String? {
            last.reason(StepRecord(command: command, inputs: inputs)) { _ in present }
        }
        #expect(reason("c", last.inputs, result) == nil)
        #expect(reason("c", [input("a", 1, time: 9), input("b", 2)], result) == nil)
        #expect(reason("d", last.inputs, result) == "its command has changed")
        #expect(reason("c", [input("a", 3), input("b", 2)], result) == "the input a has changed")
        #expect(reason("c", [input("a", 1)], result) == "the input b is gone")
        #expect(reason("c", last.inputs + [input("e", 2)], result) == "the input e is new")
        #expect(reason("c", last.inputs, nil) == "the result o is missing")
        #expect(reason("c", last.inputs, WrittenFile(path: "o", size: 6, modified: 1)) == "the result o has changed")
        last.isDone = false
        #expect(reason("c", last.inputs, result) == "it did not end well")
        #expect(last.changedOutput { _ in result } == nil && last.changedOutput { _ in nil } == nil)
        #expect(last.changedOutput { _ in WrittenFile(path: "o", size: 5, modified: 2) } == "o")
    }
}
