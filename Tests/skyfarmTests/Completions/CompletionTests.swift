import Foundation
import Testing
import skyfarm

/// Completion in the shells themselves.
@Suite("shell completion", .serialized) struct CompletionTests {
    /// A line that is typed, and what it becomes.
    struct Line: CustomTestStringConvertible, Sendable {
        var typed: String
        var completed: String

        init(_ typed: String, _ completed: String) { (self.typed, self.completed) = (typed, completed) }

        var testDescription: String { typed }
    }

    static let lines = [
        Line("skyfarm sca", "skyfarm scan"),
        Line("skyfarm scan --thre", "skyfarm scan --threshold"),
        Line("skyfarm scan --filter m", "skyfarm scan --filter matched"),
        Line("skyfarm scan --filter=m", "skyfarm scan --filter=matched"),
        Line("skyfarm node --color alw", "skyfarm node --color always"),
        Line("skyfarm scan im", "skyfarm scan image.fits"),
        Line("skyfarm scan image.fits -o so", "skyfarm scan image.fits -o sources.csv"),
        Line("skyfarm scan --band 64 -v im", "skyfarm scan --band 64 -v image.fits"),
        Line("skyfarm scan --dashboard im", "skyfarm scan --dashboard image.fits"),
        Line("skyfarm scan --output=so", "skyfarm scan --output=sources.csv"),
        Line("skyfarm jobs sh", "skyfarm jobs show"),
        Line("skyfarm key exp", "skyfarm key export"),
        Line("skyfarm key export so", "skyfarm key export sources.csv"),
        Line("skyfarm bench sc", "skyfarm bench scan"),
        Line("skyfarm bench --runs 3 scan im", "skyfarm bench --runs 3 scan image.fits"),
        Line("skyfarm help compl", "skyfarm help completions"),
        Line("skyfarm completions f", "skyfarm completions fish"),
    ]

    /// Where a number is wanted, or an action, no file is offered.
    static let others = ["skyfarm scan --band i", "skyfarm node i", "skyfarm jobs im", "skyfarm scan --node i"]

    /// Folder with the script and files to be found.
    private func scene(_ shell: CompletionsCommand.Shell) throws -> Scene {
        let scene = try Scene()
        let result = try Program.run(["completions", shell.rawValue])
        #expect(result.code == 0 && result.errors.isEmpty)
        _ = try scene.write(result.output.utf8, "_skyfarm")
        for name in ["image.fits", "sources.csv"] { _ = try scene.write([], name) }
        return scene
    }

    /// Types the lines into a shell, with a tabulator after each.
    private func type(_ shell: String, _ scene: Scene, setUp: String) throws {
        let terminal = try Tmux(
            columns: 100, environment: ["HOME": scene.folder, "HISTFILE": ""], "cd \(scene.folder) && exec \(shell)")
        try terminal.wait("a prompt") { $0.contains { $0.hasSuffix("$") || $0.hasSuffix("%") || $0.hasSuffix("#") } }
        try terminal.type("PS1='> ' PROMPT='> '; \(setUp) && clear")
        try terminal.press("Enter")
        try terminal.wait("the prompt") { $0.contains(">") && !$0.contains { $0.contains("PROMPT") } }
        for line in Self.lines {
            try terminal.type(line.typed + "\t")
            try terminal.wait("\(shell): \(line.typed)") {
                // zsh puts the = behind a flag that takes a value.
                $0.contains { $0.hasPrefix("> " + line.completed) }
            }
            try terminal.press("C-u")
        }
        for line in Self.others {
            try terminal.type(line + "\t!")
            try terminal.wait("\(shell): \(line)") { $0.contains("> \(line)!") }
            try terminal.press("C-u")
        }
    }

    @Test(
        "bash completes commands, flags, values and files",
        .enabled(if: Tool.path("bash") != nil && Tmux.path != nil, "needs bash and tmux (Debian: bash, tmux)"))
    func bash() throws {
        try type("bash --norc --noprofile -i", try scene(.bash), setUp: "source ./_skyfarm")
    }

    @Test(
        "zsh completes commands, flags, values and files",
        .enabled(if: Tool.path("zsh") != nil && Tmux.path != nil, "needs zsh and tmux (Debian: zsh, tmux)"))
    func zsh() throws {
        try type(
            "zsh -f -i", try scene(.zsh), setUp: "autoload -Uz compinit && compinit -u -D && source ./_skyfarm")
    }

    @Test(
        "fish completes commands, flags, values and files",
        .enabled(if: Tool.path("fish") != nil, "needs fish (Debian: fish)"))
    func fish() throws {
        let scene = try scene(.fish)
        let fish = try #require(Tool.path("fish"))
        let all = Self.lines.map(\.typed) + Self.others
        let script = all.map { "echo '>>' '\($0)'; complete -C '\($0)'" }.joined(separator: "\n")
        let file = try scene.write("cd \(scene.folder); source ./_skyfarm\n\(script)\n".utf8, "ask.fish")
        let result = try Program.run(
            path: fish, ["--no-config", file], environment: ["HOME": scene.folder, "XDG_DATA_HOME": scene.folder])
        #expect(result.code == 0 && result.errors.isEmpty, "\(result.errors)")
        let answers = result.output.components(separatedBy: ">> ").dropFirst().map { answer in
            // A candidate, a tabulator and its description on each line after the first.
            answer.split(separator: "\n").dropFirst().map { $0.prefix { $0 != "\t" } }
        }
        try #require(answers.count == all.count)
        for (line, answer) in zip(Self.lines, answers) {
            let word = line.completed.split(separator: " ").last
            #expect(answer.contains { $0 == word }, "\(line.typed): \(answer)")
        }
        for (line, answer) in zip(Self.others, answers.dropFirst(Self.lines.count)) {
            #expect(answer.isEmpty, "\(line): \(answer)")
        }
    }

    @Test("an unknown shell is reported")
    func unknown() throws {
        let result = try Program.run(["completions", "tcsh"])
        #expect(result.code == 2)
        #expect(result.errors == "skyfarm: completions: \"tcsh\" is not one of bash, zsh, fish\n")
    }
}
