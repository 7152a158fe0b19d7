import skyfarm
import CommandLineKit
import SkyExtraction
import ScanCluster
import Testing

import ImageScanning
import NodeDaemon

/// Command lines of Skyfarm's commands.
@Suite struct CommandLineTests {
    let parser = CommandLineParser(Skyfarm.program)

    func arguments(_ words: [String]) throws -> Arguments {
        guard case .run(_, let arguments) = try parser.parse(words) else {
            Issue.record("not a run: \(words)")
            return Arguments()
        }
        return arguments
    }

    func error(_ words: [String]) -> String? {
        do throws(UsageError) {
            guard case .run(let spec, let arguments) = try parser.parse(words) else { return nil }
            switch spec.name {
            case "scan": _ = try ScanCommand.Options(arguments)
            case "node": _ = try NodeCommand.Options(arguments)
            default: _ = try SynthCommand.Options(arguments)
            }
            return nil
        } catch {
            return error.description
        }
    }

    @Test(
        "every way to write a value reads the same",
        arguments: [
            ["scan", "a.fits", "--output", "x.csv", "--verbose"], ["scan", "--output=x.csv", "-v", "a.fits"],
            ["scan", "-ox.csv", "-v", "--", "a.fits"], ["scan", "-vo", "x.csv", "a.fits"],
            ["scan", "-vox.csv", "--verbose=yes", "a.fits"],
        ])
    func spellings(words: [String]) throws {
        let options = try ScanCommand.Options(arguments(words))
        #expect(options.image == "a.fits")
        #expect(options.outputs == ["x.csv"])
        #expect(options.common.verbose)
    }

    @Test("options that repeat are collected in order, others take the last value")
    func repeats() throws {
        let words = ["scan", "a.fits", "--node", "a:1", "--node=[::1]:2", "--band", "64", "--band", "128"]
        let options = try ScanCommand.Options(arguments(words))
        #expect(options.cluster.nodes.map(\.description) == ["a:1", "[::1]:2"])
        #expect(options.bandRows == 128)
    }

    @Test(
        "a flag that may stand alone takes the word after it only if that can be its value",
        arguments: [
            (["--dashboard", "a.fits"], "127.0.0.1:0"), (["a.fits", "--dashboard"], "127.0.0.1:0"),
            (["--dashboard", "-v", "a.fits"], "127.0.0.1:0"), (["--dashboard", ":80", "a.fits"], ":80"),
            (["--dashboard=[::1]:0", "a.fits"], "[::1]:0"), (["a.fits"], nil),
        ])
    func implied(words: [String], expected: String?) throws {
        let options = try ScanCommand.Options(arguments(["scan"] + words))
        #expect(options.dashboard?.description == expected && options.image == "a.fits")
        #expect(
            error(["scan", "a.fits", "--dashboard=here"])?.hasPrefix("--dashboard: \"here\" is not ADDR:PORT") == true)
    }

    @Test("a single dash is a value, and after two dashes everything is an argument")
    func dashes() throws {
        let options = try ScanCommand.Options(arguments(["scan", "-o", "-", "--", "--a.fits"]))
        #expect(options.outputs == ["-"])
        #expect(options.image == "--a.fits")
    }

    @Test("a scan without flags has SExtractor's defaults")
    func defaults() throws {
        let options = try ScanCommand.Options(arguments(["scan", "a.fits"]))
        let detection = options.detection.parameters
        #expect(options.outputs == ["-"] && options.cluster.nodes.isEmpty && options.bandRows == nil)
        #expect(options.cluster.localSlots == nil && options.timeoutSeconds == nil && options.maxAttempts == 3)
        #expect(detection.threshold == 1.5 && detection.minArea == 5 && detection.clean == 1)
        #expect(detection.deblendLevels == 32 && detection.deblendContrast == 0.005)
        #expect(detection.meshWidth == 64 && detection.meshFilterWidth == 3)
        #expect(detection == ScanParameters())
        #expect(detection.filter == .conv && detection.noise == .global && options.detection.kernel == nil)
    }

    @Test("JSON goes beside a catalogue in a file, or says what would be done")
    func json() throws {
        #expect(try ScanCommand.Options(arguments(["scan", "a.fits", "--json", "-o", "b.csv"])).common.json)
        #expect(try ScanCommand.Options(arguments(["scan", "a.fits", "--json", "--dry-run"])).dryRun)
    }

    @Test("cleaning can be turned off")
    func cleanOff() throws {
        #expect(
            try ScanCommand.Options(arguments(["scan", "a.fits", "--clean", "off"])).detection.parameters.clean == nil)
    }

    @Test(
        "a wrong command line is reported in one line that names the cause",
        arguments: [
            (["scna"], "unknown command \"scna\"; did you mean scan? (see skyfarm --help)"),
            (["-x"], "unknown flag -x before a command (see skyfarm --help)"),
            (
                ["scan", "a", "--treshold", "2"],
                "unknown flag --treshold; did you mean --threshold? (see skyfarm scan --help)"
            ),
            (["scan", "a", "--qqqqq"], "unknown flag --qqqqq (see skyfarm scan --help)"),
            (["scan", "a", "-z"], "unknown flag -z (see skyfarm scan --help)"),
            (["scan"], "IMAGE is missing: skyfarm scan [OPTION]... IMAGE..."),
            (["key", "export", "b", "c"], "unexpected argument \"c\": skyfarm key [OPTION]... ACTION [FILE]"),
            (["scan", "a", "--band"], "--band needs a value: a whole number from 1 to 1048576"),
            (["scan", "a", "--band", "--json"], "--band needs a value: a whole number from 1 to 1048576"),
            (["scan", "a", "--band", "0"], "--band: \"0\" is not a whole number from 1 to 1048576"),
            (["scan", "a", "--threshold=nan"], "--threshold: \"nan\" is not a number from 0.01 to 10000"),
            (["scan", "a", "--mesh", "16385"], "--mesh: \"16385\" is not a whole number from 1 to 16384"),
            (
                ["scan", "a", "--deblend-levels", "257"],
                "--deblend-levels: \"257\" is not a whole number from 1 to 256"
            ),
            (["scan", "a", "--mesh-filter", "64"], "--mesh-filter: \"64\" is not a whole number from 1 to 63"),
            (["scan", "a", "--filter", "box"], "--filter: \"box\" is not one of conv, matched, none"),
            (["scan", "a", "--quiet=perhaps"], "--quiet: \"perhaps\" is not true or false"),
            (["scan", "a", "--clean=-1"], "--clean: \"-1\" is not a number from 0.1 to 10, or off"),
            (
                ["scan", "a", "-o", "b.txt"],
                "--output: b.txt: unknown ending; use .fits, .fit, .csv or .ecsv, each also with .gz, .reg, .ldac, .cat or .vot, or - for"
                    + " CSV on standard output"
            ),
            (["scan", "a", "--report", "r.txt"], "--report: r.txt: unknown ending; use .html or .htm"),
            (
                ["scan", "a", "--report", "pages"],
                "--report: pages: unknown ending; use .html or .htm; for several images a folder: pages/"
            ),
            (["scan", "a", "--preview", "r.jpg"], "--preview: r.jpg: unknown ending; use .png"),
            (["scan", "a", "--noise", "weights"], "--noise: \"weights\" is not one of global, map"),
            (
                ["scan", "a", "--json"],
                "--json writes to standard output: name a file for the catalogue with -o FILE"
            ),
            (["node", "--name", "a b"], "--name: \"a b\" is not a name without spaces"),
            (
                ["node", "--listen", "nowhere"],
                "--listen: \"nowhere\" is not ADDR:PORT, as in 192.168.1.7:4870, or :4870 for all addresses"
            ),
            (
                ["synth", "a", "--size", "0x7"],
                "--size: \"0x7\" is not WIDTHxHEIGHT or one number, each from 1 to 100000"
            ),
            (
                ["synth", "a", "--mag-range", "24:16"],
                "--mag-range: \"24:16\" is not two magnitudes from 0 to 50, the brighter first, as in 16:24"
            ),
        ])
    func errors(words: [String], message: String) { #expect(error(words) == message) }

    @Test("help and version are found wherever they stand")
    func help() throws {
        for words in [[], ["--help"], ["-h"]] {
            guard case .help(nil) = try parser.parse(words) else {
                Issue.record("no overview for \(words)")
                return
            }
        }
        for words in [["scan", "--help"], ["scan", "--band", "7", "-h"]] {
            guard case .help(let spec?) = try parser.parse(words) else {
                Issue.record("no help for \(words)")
                return
            }
            #expect(spec.name == "scan")
        }
        for words in [["--version"], ["-V"], ["version"], ["scan", "--version"], ["scan", "-V"]] {
            guard case .version = try parser.parse(words) else {
                Issue.record("no version for \(words)")
                return
            }
        }
    }

    @Test(
        "an address is a host and a port",
        arguments: [
            ("a:1", "a:1"), ("127.0.0.1:0", "127.0.0.1:0"), ("[::1]:65535", "[::1]:65535"),
            ("[fe80::1%eth0]:1", "[fe80::1%eth0]:1"),
            (":1", ":1"), ("a", nil), ("a:65536", nil), ("a:-1", nil), ("::1:80", nil), ("a b:1", nil), ("", nil),
        ])
    func addresses(text: String, expected: String?) {
        let address = try? SocketAddress(parsing: text)
        #expect(address?.description == expected)
    }

    @Test("no two options of a command share a name or a letter, and a setting means the same everywhere")
    func tables() {
        var expected: [String: String] = [:]
        for spec in Skyfarm.program.commands {
            #expect(Set(spec.options.map(\.name)).count == spec.options.count)
            #expect(Set(spec.options.compactMap(\.short)).count == spec.options.compactMap(\.short).count)
            for option in spec.options where option.environment != nil {
                #expect(expected[option.name] ?? option.expected == option.expected)
                expected[option.name] = option.expected
            }
        }
    }
}
