import CommandLineKit
import MapCommand
import ProgramTask
import Testing

import skyfarm

/// Words and names made from templates, and the words of a command line.
@Suite struct ProgramTemplateTests {
    @Test(
        "a template has the values of an item",
        arguments: [
            ("{in}", "m31.fits.fz"), ("{stem}.psf", "m31.psf"), ("--out={out}", "--out=o.cat"), ("{number}", "8"),
            ("{dir}/{stem}.head", "night/1/m31.head"), ("{shared:a b.fits}", "shared/a b.fits"), ("-j{cpus}", "-j2"),
            ("{print $1}", "{print $1}"), ("{{in}}", "{in}"), ("a}b{", "a}b{"), ("{}{", ""),
        ])
    func values(text: String, word: String) throws {
        let item = MapItem(index: 7, members: [MapItem.Member(path: "night/1/m31.fits.fz")])
        guard !word.isEmpty else {
            #expect(throws: ProgramRefusal.self) { try ProgramTemplate(text) }
            return
        }
        #expect(item.texts(try ProgramTemplate(text), output: "o.cat", cpus: 2) == [word])
    }

    @Test(
        "a word that looks like a field and is none is an error",
        arguments: ["{input}", "{STEM}", "{shared:}", "{a:b}"])
    func unknown(text: String) {
        #expect(throws: ProgramRefusal.self) { try ProgramTemplate(text) }
    }

    @Test("in a batch, a template with a field of an input has a word for each")
    func batch() throws {
        let members = ["a.x", "b.x"].map { MapItem.Member(path: $0) }
        let item = MapItem(index: 0, members: members)
        #expect(item.texts(try ProgramTemplate("-f{in}"), output: "", cpus: 1) == ["-fa.x", "-fb.x"])
        #expect(item.texts(try ProgramTemplate("{out}"), output: "o", cpus: 1) == ["o"])
        #expect(item.name == "a.x and 1 more")
    }

    @Test(
        "a line names files by a stem without the characters that no name has",
        arguments: [("NGC 7000", "NGC 7000"), ("a/b", "a_b"), ("..", "_"), ("/", "_"), ("x.y", "x"), ("...x", "_")])
    func stems(line: String, stem: String) {
        #expect(MapItem.Member(line: line).stem == stem)
    }

    private func options(_ words: [String]) throws -> MapCommand.Options {
        guard case .run(_, let arguments) = try CommandLineParser(Skyfarm.program).parse(["map"] + words) else {
            throw UsageError("not a run")
        }
        return try MapCommand.Options(arguments)
    }

    @Test(
        "flags that are not Skyfarm's are words for the program, and all words between two --",
        arguments: [
            ["p", "-c", "x", "--deep=2", "-vv", "-output", "-o", "out/", "--", "i"],
            ["p", "-o", "out/", "--", "-c", "x", "--deep=2", "-vv", "-output", "--", "i"],
        ])
    func words(words: [String]) throws {
        let options = try options(words)
        #expect(options.program == "p" && options.inputs == ["i"] && options.output == .folder("out/"))
        #expect(options.arguments.map(\.text) == ["-c", "x", "--deep=2", "-vv", "-output"])
        #expect(!options.common.verbose)
    }

    @Test("between two --, flags of Skyfarm are the program's as well")
    func ownFlags() throws {
        let options = try options(["p", "-o", "-", "--", "-o", "y", "--json", "--", "i"])
        #expect(options.arguments.map(\.text) == ["-o", "y", "--json"] && !options.common.json)
    }

    @Test(
        "a command line without a place, inputs or a valid name is refused",
        arguments: [
            ["p", "--", "i"], ["p", "-o", "x/"], ["-x", "p", "-o", "x/", "--", "i"], ["/bin/sh", "-o", "-", "--", "i"],
            ["p", "-o", "x/", "--items", "l", "--", "i"], ["p", "-o", "-", "--resume", "--", "i"],
            ["p", "--json", "-o", "-", "--", "i"],
            ["p", "{oops}", "-o", "-", "--", "i"], ["p", "-o", "-", "--ok-codes", "0,x", "--", "i"],
        ])
    func refused(words: [String]) {
        #expect(throws: UsageError.self) { try options(words) }
    }
}
