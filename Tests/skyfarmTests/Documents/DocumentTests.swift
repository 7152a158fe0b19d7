import CommandLineKit
import Foundation
import ImageJobs
import SkyTestSupport
import Testing
import skyfarm

/// What the documents say of the sources and of the command line.
@Suite struct DocumentTests {
    /// The checkout.
    static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    /// All Markdown of the checkout's top and of `Docs`.
    static let documents: [String] = ["", "Docs/"].flatMap { folder in
        let names = try? FileManager.default.contentsOfDirectory(atPath: root.appendingPathComponent(folder).path)
        return (names ?? []).filter { $0.hasSuffix(".md") }.sorted().map { folder + $0 }
    }

    static func text(_ document: String) throws -> String {
        try String(contentsOf: root.appendingPathComponent(document), encoding: .utf8)
    }

    /// The relative links of a document, with the file that each leads to.
    static func links(_ document: String) throws -> [(text: String, file: URL)] {
        let folder = root.appendingPathComponent(document).deletingLastPathComponent()
        return try text(document).matches(of: /\[([^\]]*)\]\(([^)#:]+)(#[^)]*)?\)/).map {
            (String($0.1), folder.appendingPathComponent(String($0.2)).standardizedFileURL)
        }
    }

    @Test("every link leads to a file", arguments: documents)
    func links(document: String) throws {
        for link in try Self.links(document) {
            #expect(FileManager.default.fileExists(atPath: link.file.path), "\(document) links to \(link.file.path)")
        }
    }

    @Test("Architecture.md: a type is linked to a file that declares or extends it")
    func types() throws {
        let links = try Self.links("Docs/Architecture.md").filter { $0.file.pathExtension == "swift" }
        #expect(links.count >= 40)
        for link in links {
            // Words of the sentence about the design lead to the file of their type.
            let name =
                link.text.firstMatch(of: /`(?:[A-Za-z]+\.)*([A-Za-z]+)`/)?.1
                ?? link.file.deletingPathExtension()
                .lastPathComponent.prefix { $0 != "+" }
            let source = try String(contentsOf: link.file, encoding: .utf8)
            // A type may be nested: by the default rule for the ends of words, Systems.State is one word.
            let declaration = try Regex(
                "\\b(actor|class|enum|extension|protocol|struct) ([A-Za-z]+\\.)*\(name)\\b"
            ).wordBoundaryKind(.simple)
            let declares = source.contains(declaration)
            #expect(declares, "\(link.file.lastPathComponent) has no \(name)")
        }
    }

    @Test("every command is one that the program understands", arguments: documents)
    func commands(document: String) throws {
        for words in try Self.commands(of: document) {
            do throws(UsageError) {
                guard case .run(let spec, let arguments) = try Skyfarm.request(words) else { continue }
                let isSubmitted = spec.name == SubmitCommand.spec.name
                if isSubmitted, SubmitCommand.verb(in: arguments.words) != nil { _ = try SubmitCommand(arguments) }
            } catch {
                Issue.record("\(document): \(words.joined(separator: " ")): \(error)")
            }
        }
    }

    @Test("most commands of the documents are found")
    func commandCount() throws {
        var count = 0
        for document in Self.documents { count += try Self.commands(of: document).count }
        #expect(count >= 60)
    }

    @Test("README: what is no first step is in Docs")
    func length() throws {
        #expect(try Self.text("README.md").count { $0 == "\n" } <= 250)
    }

    @Test("FirstChange.md: its patches apply")
    func patches() throws {
        let patches = try Self.text("Docs/FirstChange.md").matches(of: /```diff\n((?:.*\n)*?)```/).map { $0.1 }
        #expect(patches.count == 2)
        for patch in patches {
            let file = try TemporaryFolder()
            try Data(patch.utf8).write(to: URL(fileURLWithPath: file.path("patch")))
            let result = try Subprocess.run(
                "/usr/bin/env", ["git", "-C", Self.root.path, "apply", "--check", file.path("patch")])
            #expect(result.status == 0, "\(result.errors)")
        }
    }

    @Test("the tutorial ends in the example, and shows every step of its code")
    func tutorial() throws {
        let catalogue = "Sources/ScanCluster/ScanCluster.docc/"
        #expect(try Self.text(catalogue + "Resources/Primes.swift") == Self.text("Examples/primes/Primes.swift"))
        let tutorial = try Self.text(catalogue + "Tutorials/CountingPrimes.tutorial")
        let steps = tutorial.matches(of: /file: "([^"]+)"/).map { String($0.1) }
        let resources = Self.root.appendingPathComponent(catalogue + "Resources").path
        let files = try FileManager.default.contentsOfDirectory(atPath: resources).filter { !$0.hasSuffix(".svg") }
        #expect(Set(steps) == Set(files) && steps.dropLast().last == "Primes.swift")
    }

    @Test("the formula depends on what scripts/bootstrap installs with brew")
    func formula() throws {
        let formula = try Self.text("packaging/homebrew/skyfarm.rb")
        let dependencies = formula.matches(of: /depends_on "([^"]+)"/).map { String($0.1) }
        let line = try #require(try Self.text("scripts/bootstrap").firstMatch(of: /for formula in (.*); do/)?.1)
        #expect(dependencies.sorted() == line.split(separator: " ").map(String.init).sorted())
    }

    /// The commands in the blocks for a shell, without those of `sex`, whose words are SExtractor's.
    private static func commands(of document: String) throws -> [[String]] {
        var commands: [[String]] = []
        for block in try text(document).matches(of: /```sh\n((?:.*\n)*?)```/) {
            for line in block.1.split(separator: "\n") {
                let line = line.replacing(/\s# .*/, with: "")
                for part in line.split(separator: /\s[|>]\s/) {
                    guard let command = part.firstMatch(of: /(?:^|\s)skyfarm ([a-z].*)/) else { continue }
                    commands.append(words(String(command.1)))
                }
            }
        }
        return commands.filter { $0.first != "sex" }
    }

    /// The words of a command, some of which are in single quotes.
    private static func words(_ command: String) -> [String] {
        command.matches(of: /'([^']*)'|\S+/).map { String($0.1 ?? $0.0) }
    }
}
