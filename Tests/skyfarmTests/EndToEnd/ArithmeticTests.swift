import CommandLineKit
import Foundation
import SkyScan
import Testing

/// A coordinator and a node with another C library, of which a part is made with the C compiler: it reads a number
/// otherwise.
@Suite(
    "a node that computes differently", .serialized,
    .enabled(if: OtherCLibrary.isPossible, "needs a C compiler (Debian: gcc)"))
struct ArithmeticTests {
    let scene: Scene
    let image: String
    let mine: Machine

    init() throws {
        scene = try Scene()
        mine = Machine(scene, "mine")
        image = try scene.scaledSky()
        _ = try mine.run(["key", "new"])
    }

    private func node() throws -> Node {
        let library = try OtherCLibrary.withChangedNumber(in: scene)
        return try Node("far", environment: mine.environment.merging(["LD_PRELOAD": library]) { $1 })
    }

    private func scan(_ node: Node, _ further: [String]) throws -> Program.Result {
        try mine.run(
            ["scan", image, "-o", scene.path("out/o.ecsv"), "--overwrite", "--no-journal", "--node", node.address]
                + further)
    }

    private func header(_ key: String) throws -> String? {
        let text = String(decoding: try scene.bytes("out/o.ecsv"), as: UTF8.self)
        return text.split(separator: "\n").first { $0.contains(key) }.map(String.init)
    }

    @Test("is refused by name, with the reason and the cure, by scan and nodes, and its own log says why")
    func refused() throws {
        let node = try node()
        let refused = try scan(node, ["--local-slots", "0"])
        #expect(refused.code == ExitCode.noUsableNode.rawValue && scene.outputs.isEmpty, "\(refused.errors)")
        #expect(refused.errorLines.count == 1)
        let own = "\(ArithmeticFingerprint.current)"
        let words = [
            "far (\(node.address))", "computes differently (reader)", own, "install the same skyfarm and libraries",
            "--allow-different-nodes",
        ]
        for word in words { #expect(refused.errors.contains(word), "\(refused.errors)") }
        let listed = try mine.run(["nodes", "--node", node.address])
        #expect(listed.code == ExitCode.noUsableNode.rawValue)
        #expect(
            listed.output.hasPrefix("far  \(node.address)  cannot be used: computes differently"), "\(listed.output)")
        let doctor = try mine.run(["doctor", "--node", node.address, "--wait", "0.5"])
        #expect(doctor.output.contains("\(node.address) computes differently"), "\(doctor.output)")
        #expect(doctor.output.contains("the arithmetic of this machine is \(own)"))
        // A command that ends at once may not have sent the reason; each of these three sends it.
        try node.program.waitForErrors("this node computes differently")
    }

    @Test("takes no part in a scan that has other systems, and the catalogue is that of this machine alone")
    func leftOut() throws {
        let node = try node()
        let mixed = try scan(node, ["--local-slots", "1", "--report", scene.path("out/page.html")])
        #expect(mixed.code == 0 && mixed.errors.contains("skyfarm: node far (\(node.address)): computes differently"))
        #expect(String(decoding: try scene.bytes("out/page.html"), as: UTF8.self).contains("computes differently"))
        let bytes = try scene.bytes("out/o.ecsv")
        #expect(try header("ARITHEQ")?.contains("true") == true)
        #expect(try header("ARITHFP")?.contains("\(ArithmeticFingerprint.current)") == true)
        let alone = try Program.run(
            ["scan", image, "-o", scene.path("out/o.ecsv"), "--overwrite", "--no-journal", "--local-slots", "1"])
        #expect(try alone.code == 0 && scene.bytes("out/o.ecsv") == bytes)
    }

    @Test("is used with --allow-different-nodes, of which header, warning and page inform")
    func allowed() throws {
        let node = try node()
        let flag = "--allow-different-nodes"
        let used = try scan(node, ["--local-slots", "0", flag, "--report", scene.path("out/page.html")])
        #expect(used.code == 0, "\(used.errors)")
        #expect(used.errors.contains("node far computes differently and was used"), "\(used.errors)")
        #expect(String(decoding: try scene.bytes("out/page.html"), as: UTF8.self).contains("computes differently"))
        #expect(try header("ARITHEQ")?.contains("false") == true)
        let line = try #require(try header("OTHER ARITHMETIC node far: "))
        #expect(!line.contains("\(ArithmeticFingerprint.current)") && line.contains("CFITSIO "))
        let listed = try mine.run(["nodes", "--node", node.address, flag, "--json"])
        #expect(listed.code == 0 && listed.output.contains("\"arithmetic\""), "\(listed.output)")
        // The node's numbers are really others.
        let bytes = try scene.bytes("out/o.ecsv")
        #expect(try scan(node, ["--local-slots", "1", "--no-discovery"]).code == 0)
        #expect(try scene.bytes("out/o.ecsv") != bytes)
    }
}

/// A coordinator and a node with other instructions or another C library, whose functions no scan asks.
@Suite(
    "a node whose C library rounds otherwise", .serialized,
    .enabled(if: OtherCLibrary.isPossible, "needs a C compiler (Debian: gcc)"))
struct OtherRoundingTests {
    /// What the node's process has beside the coordinator's.
    enum Other: CaseIterable { case instructions, functions, both }

    @Test("is used, and the catalogue has the same bytes", arguments: Other.allCases)
    func sameBytes(other: Other) throws {
        let scene = try Scene()
        let image = try scene.sky()
        let mine = Machine(scene, "mine")
        _ = try mine.run(["key", "new"])
        var environment = mine.environment
        if other != .functions {
            environment["GLIBC_TUNABLES"] = "glibc.cpu.hwcaps=-AVX2,-FMA,-FMA4,-AVX512F,-AVX512VL,-AVX512DQ"
        }
        if other != .instructions {
            environment["LD_PRELOAD"] = try OtherCLibrary.withOtherLastBits(in: scene)
        }
        let node = try Node("far", environment: environment)
        var outputs: [Data] = []
        for further in [["--node", node.address, "--local-slots", "0"], ["--no-discovery", "--local-slots", "1"]] {
            let result = try mine.run(
                ["scan", image, "-o", scene.path("out/o.ecsv"), "--overwrite", "--no-journal"] + further)
            #expect(result.code == 0, "\(result.errors)")
            outputs.append(try scene.bytes("out/o.ecsv"))
        }
        #expect(outputs[0] == outputs[1])
        let lines = String(decoding: outputs[0], as: UTF8.self).split(separator: "\n")
        #expect(lines.contains { $0.contains("ARITHEQ") && $0.contains("true") })
        #expect(lines.contains { $0.contains("ARITHFP") && $0.contains("\(ArithmeticFingerprint.current)") })
    }
}

extension Scene {
    /// A synthetic sky whose samples are scaled by 0.3.
    fileprivate func scaledSky() throws -> String {
        _ = try sky()
        var bytes = try bytes("sky.fits")
        let card = Data("BSCALE  =                  0.3".utf8)
        let old = try #require(bytes.firstRange(of: Data("SEED    =".utf8)))
        bytes.replaceSubrange(
            old.lowerBound..<old.lowerBound + 80, with: card + Data(repeating: 0x20, count: 80 - card.count))
        return try write(bytes, "sky.fits")
    }
}

/// Makes a library that replaces a part of the C library in programs that are started with it.
enum OtherCLibrary {
    private static let compiler = "/usr/bin/cc"

    static var isPossible: Bool { FileManager.default.isExecutableFile(atPath: compiler) }

    /// A library to preload: it reads the number 0.3 otherwise.
    static func withChangedNumber(in scene: Scene) throws -> String {
        try compile(
            """
            #define _GNU_SOURCE
            #include <dlfcn.h>
            double strtod(const char *text, char **end) {
                double (*real)(const char *, char **) = (double (*)(const char *, char **))dlsym(RTLD_NEXT, "strtod");
                double value = real(text, end);
                return value == 0.3 ? 0.300001 : value;
            }
            """, "number.so", in: scene)
    }

    /// A library to preload: values of the elementary functions are the next double.
    static func withOtherLastBits(in scene: Scene) throws -> String {
        try compile(
            """
            #define _GNU_SOURCE
            #include <dlfcn.h>
            double nextafter(double, double);
            static double next(double value) { return nextafter(value, 1e300); }
            #define ONE(name) double name(double x) { \\
                return next(((double (*)(double))dlsym(RTLD_NEXT, #name))(x)); }
            #define TWO(name) double name(double x, double y) { \\
                return next(((double (*)(double, double))dlsym(RTLD_NEXT, #name))(x, y)); }
            ONE(exp) ONE(log) ONE(log10) ONE(sin) ONE(cos) ONE(tan) ONE(asin) ONE(acos) ONE(atan) TWO(atan2) TWO(pow)
            void sincos(double x, double *sine, double *cosine) { *sine = sin(x), *cosine = cos(x); }
            """, "rounding.so", in: scene)
    }

    private static func compile(_ source: String, _ name: String, in scene: Scene) throws -> String {
        let path = try scene.write(source.utf8, name + ".c")
        let output = scene.path(name)
        let flags = ["-shared", "-fPIC", "-O2", "-fno-builtin", "-ldl", "-lm"]
        let result = try Program.run(path: compiler, [path, "-o", output] + flags)
        guard result.code == 0 else { throw Program.Failure(description: result.errors) }
        return output
    }
}
