import skyfarm
import Testing

import CommandLineKit
import ImageScanning

@Suite struct SettingsTests {
    func scan(_ words: [String], environment: [String: String] = [:], file: String = "") throws -> ScanCommand.Options {
        let parser = CommandLineParser(Skyfarm.program)
        guard case .run(_, var arguments) = try parser.parse(["scan", "a.fits"] + words) else {
            throw UsageError("help")
        }
        arguments.environment = environment
        arguments.file = try SettingsFile(text: file, path: "config", keys: Skyfarm.program.settingKeys)
        return try ScanCommand.Options(arguments)
    }

    @Test("a flag beats the environment, which beats the file, which beats the default")
    func layers() throws {
        let file = "# mine\n\n band = 1 \nthreshold=2\nmesh = 32\n"
        let environment = ["SKYFARM_BAND": "3", "SKYFARM_THRESHOLD": "4", "SKYFARM_MIN_AREA": ""]
        let options = try scan(["--band", "5"], environment: environment, file: file)
        #expect(options.bandRows == 5)
        #expect(options.detection.parameters.threshold == 4)
        #expect(options.detection.parameters.meshWidth == 32)
        #expect(options.detection.parameters.minArea == 5)
    }

    @Test("nodes come from one layer only: by comma or space in the environment, by line in the file")
    func lists() throws {
        let file = "node = a:1\nnode = b:2\n"
        func ports(_ words: [String], environment: [String: String] = [:]) throws -> [UInt16] {
            try scan(words, environment: environment, file: file).cluster.nodes.map(\.port)
        }
        #expect(try ports([]) == [1, 2])
        #expect(try ports([], environment: ["SKYFARM_NODES": "c:3, d:4 e:5"]) == [3, 4, 5])
        #expect(try ports(["--node", "f:6"], environment: ["SKYFARM_NODES": "c:3"]) == [6])
    }

    @Test("what belongs to one run is read from its flags only")
    func flagOnly() throws {
        #expect(try scan([], environment: ["SKYFARM_OUTPUT": "x.csv", "SKYFARM_DRY_RUN": "1"]).outputs == ["-"])
        #expect(throws: UsageError("config:1: unknown setting \"output\"")) { try scan([], file: "output = x.csv") }
    }

    @Test("a switch can be set outside of the command line")
    func switches() throws {
        #expect(try scan([], environment: ["SKYFARM_QUIET": "yes"]).common.quiet)
        #expect(try !scan(["--quiet=no"], environment: ["SKYFARM_QUIET": "yes"]).common.quiet)
    }

    @Test(
        "a wrong setting is reported with its place",
        arguments: [
            ("band", "config:1: expected \"key = value\""),
            ("\n\nbnad = 2", "config:3: unknown setting \"bnad\"; did you mean band?"),
            ("band = many", "config:1: band: \"many\" is not a whole number from 1 to 1048576"),
        ])
    func errors(file: String, message: String) {
        #expect(throws: UsageError(message)) { try scan([], file: file) }
    }

    @Test("a wrong variable is reported with its name")
    func environmentError() {
        #expect(throws: UsageError("SKYFARM_BAND: \"0\" is not a whole number from 1 to 1048576")) {
            try scan([], environment: ["SKYFARM_BAND": "0"])
        }
    }
}
