import Foundation
import Testing

@Suite("Security.md") struct SecurityDocumentTests {
    private static let root = #filePath.split(separator: "/").dropLast(4).map { "/" + $0 }.joined()

    /// The names of tests, and the texts of scenarios of the lab.
    private static func testNames() throws -> Set<String> {
        let names = try #require(FileManager.default.enumerator(atPath: root + "/Tests"))
        var found: Set<String> = []
        for case let name as String in names {
            if name.hasPrefix("lab/scenarios/") {
                found.insert("scenario " + (name as NSString).lastPathComponent.replacing(".sh", with: ""))
            } else if name.hasSuffix(".swift") {
                let text = try String(contentsOfFile: root + "/Tests/" + name, encoding: .utf8)
                for match in text.matches(of: /@Test\(\s*"([^"]*)"/) { found.insert(String(match.1)) }
            }
        }
        return found
    }

    @Test("each promise that it lists has a test of that name, and each test that names the page is listed")
    func promises() throws {
        let text = try String(contentsOfFile: Self.root + "/Docs/Security.md", encoding: .utf8)
        let rows = text.split(separator: "\n").drop { $0 != "| promise | test |" }.dropFirst(2).prefix {
            $0.hasPrefix("| ")
        }
        let listed = rows.compactMap { row in
            row.split(separator: "|").last.map { $0.trimmingCharacters(in: .whitespaces) }
        }
        let names = try Self.testNames()
        #expect(listed.count >= 40)
        for name in listed { #expect(names.contains(name), "no test has the name: \(name)") }
        let naming = names.filter { $0.hasPrefix("Security.md: ") }
        #expect(naming.subtracting(listed).sorted() == [], "list them in Docs/Security.md")
    }
}
