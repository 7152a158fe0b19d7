import Testing

import CommandLineKit

@Suite struct CommandLineParserTests {
    let parser = CommandLineParser(.cutter)

    func arguments(_ words: [String]) throws -> Arguments {
        guard case .run(_, let arguments) = try parser.parse(words) else {
            Issue.record("not a run: \(words)")
            return Arguments()
        }
        return arguments
    }

    @Test(
        "every way to write a value reads the same",
        arguments: [
            ["cut", "a.fits", "--depth", "7", "--output", "x", "--dry"],
            ["cut", "--depth=7", "--output=x", "-n", "a.fits"],
            ["cut", "-d7", "-no", "x", "--", "a.fits"], ["cut", "-nd", "7", "a.fits", "-ox"],
        ])
    func spellings(words: [String]) throws {
        let arguments = try arguments(words)
        #expect(try arguments[Cut.depth] == 7 && arguments[Cut.output] == "x" && arguments[Cut.dry])
        #expect(arguments.positionals == ["a.fits"])
    }

    @Test("options that repeat are collected in order, others take the last value")
    func repeats() throws {
        let arguments = try arguments(["cut", "a", "--words", "b", "--words=c", "-d1", "-d2"])
        #expect(try arguments[Cut.words] == ["b", "c"] && arguments[Cut.depth] == 2)
    }

    @Test(
        "a flag that may stand alone takes the word after it only if that can be its value",
        arguments: [
            (["--serve", "a"], 0), (["a", "--serve"], 0), (["--serve", "-n", "a"], 0), (["--serve", "8", "a"], 8),
            (["--serve=9", "a"], 9), (["a"], nil),
        ])
    func implied(words: [String], expected: Int?) throws {
        let arguments = try arguments(["cut"] + words)
        #expect(try arguments[Cut.serve] == expected && arguments.positionals == ["a"])
    }

    @Test("a name in capitals after a dash is a value")
    func capitals() throws {
        let arguments = try arguments(["cut", "a", "--words", "-BACKGROUND=b", "-o", "-OBJECTS"])
        #expect(try arguments[Cut.words] == ["-BACKGROUND=b"] && arguments[Cut.output] == "-OBJECTS")
    }

    @Test("a dash alone is a value, and after two dashes everything is an argument")
    func dashes() throws {
        let arguments = try arguments(["cut", "-o", "-", "--", "--a.fits"])
        #expect(try arguments[Cut.output] == "-" && arguments.positionals == ["--a.fits"])
    }

    @Test(
        "a wrong command line is one line that names the cause",
        arguments: [
            (["ctu"], "unknown command \"ctu\"; did you mean cut? (see cutter --help)"),
            (["-x"], "unknown flag -x before a command (see cutter --help)"),
            (["cut", "a", "--detph", "2"], "unknown flag --detph; did you mean --depth? (see cutter cut --help)"),
            (["cut", "a", "-z"], "unknown flag -z (see cutter cut --help)"),
            (["cut"], "IMAGE is missing: cutter cut [OPTION]... IMAGE [MASK]"),
            (["cut", "a", "b", "c"], "unexpected argument \"c\": cutter cut [OPTION]... IMAGE [MASK]"),
            (["cut", "a", "--depth"], "--depth needs a value: a whole number from 1 to 9"),
            (["cut", "a", "--depth", "--dry"], "--depth needs a value: a whole number from 1 to 9"),
            (["cut", "a", "--depth", "0"], "--depth: \"0\" is not a whole number from 1 to 9"),
        ])
    func errors(words: [String], message: String) {
        #expect(throws: UsageError(message)) { _ = try arguments(words)[Cut.depth] }
    }

    @Test("help and version are found wherever they stand")
    func help() throws {
        for words in [[], ["--help"], ["-h"]] {
            guard case .help(nil) = try parser.parse(words) else {
                Issue.record("no overview for \(words)")
                return
            }
        }
        for words in [["cut", "--help"], ["cut", "--depth", "7", "-h"]] {
            guard case .help(let spec?) = try parser.parse(words) else {
                Issue.record("no help for \(words)")
                return
            }
            #expect(spec.name == "cut")
        }
        for words in [["--version"], ["-V"], ["version"], ["cut", "--version"], ["cut", "-V"]] {
            guard case .version = try parser.parse(words) else {
                Issue.record("no version for \(words)")
                return
            }
        }
    }

    @Test("flags override the environment, which overrides the settings file")
    func layers() throws {
        var given = try arguments(["cut", "a", "-d1"])
        given.environment = ["CUTTER_DEPTH": "2", "CUTTER_DRY": "yes", "CUTTER_WORDS": "a, b c", "CUTTER_OUTPUT": "x"]
        given.file = try SettingsFile(
            text: "depth = 3\nwords = d", path: "config", keys: ProgramSpec.cutter.settingKeys)
        #expect(try given[Cut.depth] == 1 && given[Cut.dry] && given[Cut.words] == ["a", "b", "c"])
        #expect(try given[Cut.output] == nil)
        given.flags = [:]
        #expect(try given[Cut.depth] == 2)
        given.environment = [:]
        #expect(try given[Cut.depth] == 3 && given[Cut.words] == ["d"])
    }
}
