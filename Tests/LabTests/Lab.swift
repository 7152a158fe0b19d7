import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The lab of several hosts in `Tests/lab`, and the programs that are built beside the tests.
enum Lab {
    /// A script of `Tests/lab/scenarios`, whose first line has the number of hosts.
    struct Scenario: Sendable, CustomTestStringConvertible {
        var name: String
        /// The lab's options.
        var options: [String]
        /// Programs that it needs in addition to those of every scenario.
        var tools: [String]
        /// What may run beside it.
        var company: Company
        /// `# long`: it begins before the others, so that nothing waits for it at the end.
        var isLong: Bool
        /// `# soak`: it takes minutes or needs a host without other load. It runs only if it is named, as by
        /// `scripts/soak`.
        var isForSoak: Bool

        var testDescription: String { name }
        var path: String { "\(Lab.folder)/scenarios/\(name).sh" }
    }

    /// What may run beside a scenario.
    enum Company: Sendable {
        /// `# waits`: anything, since it uses no processor for minutes.
        case anything
        /// A few of its kind: it mostly waits, and its limits of time leave room for them.
        case others
        /// `# alone`: what waits, since it measures what the processors do.
        case nothing
    }

    static let folder =
        #filePath.split(separator: "/", omittingEmptySubsequences: false)
        .dropLast(2).joined(separator: "/") + "/lab"

    /// The names of all scripts.
    static let names: [String] = {
        guard let handle = opendir("\(folder)/scenarios") else { return [] }
        defer { closedir(handle) }
        return sequence(state: handle, next: { readdir($0) }).compactMap { entry in
            let name = withUnsafeBytes(of: entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            return name.hasSuffix(".sh") ? String(name.dropLast(3)) : nil
        }.sorted()
    }()

    /// Those that state their number of hosts, by name.
    static let scenarios: [Scenario] = names.compactMap { name in
        var scenario = Scenario(
            name: name, options: [], tools: [], company: .others, isLong: false, isForSoak: false)
        let lines = Command.lines(of: scenario.path)
        guard let options = words(after: "# hosts ", in: lines) else { return nil }
        scenario.options = ["-n"] + options
        scenario.tools = words(after: "# needs ", in: lines) ?? []
        if lines.contains("# waits") { scenario.company = .anything }
        if lines.contains("# alone") { scenario.company = .nothing }
        scenario.isLong = lines.contains("# long")
        scenario.isForSoak = lines.contains("# soak")
        return scenario
    }

    private static func words(after start: String, in lines: [Substring]) -> [String]? {
        lines.first { $0.hasPrefix(start) }?.dropFirst(start.count).split(separator: " ").map(String.init)
    }

    /// Chosen scenarios whose tools are installed.
    static let runnable =
        chosen.filter { missing(for: $0).isEmpty && $0.isLong }
        + chosen.filter { missing(for: $0).isEmpty && !$0.isLong }

    /// Chosen scenarios that lack a tool, with its name.
    static let lacking = chosen.filter { !missing(for: $0).isEmpty }
        .map { "\($0.name) lacks \(missing(for: $0).joined(separator: " "))" }.joined(separator: ", ")

    private static func missing(for scenario: Scenario) -> [String] {
        let path = getenv("PATH").map { String(cString: $0) } ?? ""
        return scenario.tools.filter { tool in
            // Not a tool: sshd gives up its privileges, which it cannot in a user namespace.
            if tool == "root" { return geteuid() != 0 }
            return !path.split(separator: ":").contains { access("\($0)/\(tool)", X_OK) == 0 }
        }
    }

    /// The scenarios named by `SKYFARM_LAB`; all but those for soak if it is 1.
    private static let chosen: [Scenario] = {
        guard let names = getenv("SKYFARM_LAB").map({ String(cString: $0) }), names != "1" else {
            return scenarios.filter { !$0.isForSoak }
        }
        return scenarios.filter { names.split(separator: " ").contains(Substring($0.name)) }
    }()

    /// Why the lab cannot run on this machine; nil if it can.
    static let unusableReason: String? = {
        guard getenv("SKYFARM_LAB") != nil else { return "lab: set SKYFARM_LAB=1, or run scripts/lab-test" }
        let result = Command.run(["/bin/bash", "\(folder)/lab", "--check"])
        return result.status == 0 ? nil : result.output
    }()

    /// Runs a scenario in a new lab; it is ended after four minutes, one for soak after ten.
    static func run(_ scenario: Scenario) -> Command.Result {
        Command.run(
            ["/usr/bin/timeout", "--kill-after=5", scenario.isForSoak ? "600" : "240", "/bin/bash", "\(folder)/lab"]
                + scenario.options
                + ["bash", scenario.path],
            environment: [
                "LAB_PROBE=\(products)/discovery-probe", "LAB_SKYFARM=\(products)/skyfarm",
                "SWIFT_BACKTRACE=enable=no",
            ])
    }

    /// The folder of the programs: `SKYFARM_TEST_PROGRAMS`, or that of the test runner.
    private static var products: String {
        if let folder = getenv("SKYFARM_TEST_PROGRAMS") { return String(cString: folder) }
        var path = [CChar](repeating: 0, count: 4096)
        let length = readlink("/proc/self/exe", &path, path.count)
        let runner = String(decoding: path.prefix(max(0, length)).map(UInt8.init(bitPattern:)), as: UTF8.self)
        return runner.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
    }
}
