import Testing

@Suite struct MarkdownReferenceTests {
    @Test("Docs/Commands.md is what the program writes")
    func document() throws {
        let result = try Program.run(["help", "--markdown"])
        #expect(result.code == 0 && result.errors.isEmpty)
        let written = result.output.split(separator: "\n", omittingEmptySubsequences: false)
        let committed = try DocumentTests.text("Docs/Commands.md").split(
            separator: "\n", omittingEmptySubsequences: false)
        let isCurrent = written == committed
        let line = zip(written, committed).first { $0 != $1 }.map { "\($0.0), not \($0.1)" } ?? "another length"
        #expect(isCurrent, "\(line): run `skyfarm help --markdown >Docs/Commands.md`")
    }

    @Test("the section of a command is that of the page")
    func section() throws {
        let page = try Program.run(["help", "--markdown"]).output
        let section = try Program.run(["help", "--markdown", "spread"]).output
        #expect(section.hasPrefix("## skyfarm spread\n") && page.contains("\n\n" + section))
        #expect(try Program.run(["help", "--markdown", "--man"]).code == 2)
    }
}
