import CommandLineKit
import Foundation
import Testing
import skyfarm

/// `Docs/kubernetes.yaml`.
@Suite("Kubernetes") struct KubernetesTests {
    private let text: String

    init() throws { text = try DocumentTests.text("Docs/kubernetes.yaml") }

    @Test("its commands are those of the program, and its names those of the document")
    func commands() throws {
        let commands = text.matches(of: /command: \[(.*)\]/).map { match in
            match.1.split(separator: ", ").map { String($0.trimmingPrefix("\"").dropLast()) }
        }
        #expect(commands.count == 2)
        for words in commands {
            #expect(words.first == "skyfarm")
            guard
                case .run(let spec, let arguments) = try CommandLineParser(Skyfarm.program).parse(
                    Array(words.dropFirst()))
            else { return #expect(Bool(false), "\(words)") }
            let type = try #require(Skyfarm.commands.first { $0.spec.name == spec.name })
            _ = try type.init(arguments)
        }
        // The SRV record of the port's and the service's name.
        let port = try #require(text.firstMatch(of: /ports:\n    - name: ([a-z]+)\n      protocol: TCP/)?.1)
        let service = try #require(text.firstMatch(of: /kind: Service\nmetadata:\n  name: ([a-z]+)/)?.1)
        #expect(try DocumentTests.text("Docs/Clusters.md").contains("--srv _\(port)._tcp.\(service).default.svc."))
    }

    @Test(
        "kubectl knows every field of the deployment",
        .enabled(if: Tool.path("kubectl") != nil, "needs kubectl (Debian: kubernetes-client)"))
    func fields() throws {
        let kubectl = try #require(Tool.path("kubectl"))
        let file = DocumentTests.root.appendingPathComponent("Docs/kubernetes.yaml").path
        let deployment = text.components(separatedBy: "---\n").last ?? ""
        let scene = try Scene()
        let path = try scene.write(deployment.utf8, "deployment.yaml")
        // Without a server: `label` shows what the file has, `set` what kubectl's own types have of it.
        let given = try Program.run(path: kubectl, ["label", "--local", "-f", path, "x=y", "-o", "json"])
        let known = try Program.run(
            path: kubectl, ["set", "resources", "--local", "-f", path, "--requests=cpu=4", "-o", "json"])
        #expect(given.code == 0 && known.code == 0, "\(given.errors)\(known.errors)")
        let unknown = try Self.keys(given.output).subtracting(try Self.keys(known.output))
        #expect(unknown == ["/metadata/labels/x"], "\(file)")
    }

    /// The paths of all values.
    private static func keys(_ json: String) throws -> Set<String> {
        var keys: Set<String> = []
        func add(_ value: Any, _ path: String) {
            switch value {
            case let fields as [String: Any]: for (name, value) in fields { add(value, "\(path)/\(name)") }
            case let list as [Any]: for value in list { add(value, path) }
            default: keys.insert(path)
            }
        }
        add(try JSONSerialization.jsonObject(with: Data(json.utf8)), "")
        return keys
    }
}
