import CommandLineKit
import Foundation
import SkyScan
import Testing

/// A coordinator and a node with another C library, of which a part is made with the C compiler.
@Suite(
    "a node whose C library computes differently", .serialized,
    .enabled(if: OtherCLibrary.isPossible, "needs a C compiler (Debian: gcc)"))
struct ArithmeticTests {
    let scene: Scene
    let image: String
    let mine: Machine

    init() throws {
        scene = try Scene()
        mine = Machine(scene, "mine")
        image = try scene.sky()
        _ = try mine.run(["key", "new"])
    }

    private func node() throws -> Node {
        let library = try OtherCLibrary.withChangedCosines(in: scene)
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
            "far (\(node.address))", "computes differently", own, "the build, the C library or the processor differs",
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
        #expect(!line.contains("\(ArithmeticFingerprint.current)") && line.contains("glibc "))
        let listed = try mine.run(["nodes", "--node", node.address, flag, "--json"])
        #expect(listed.code == 0 && listed.output.contains("\"arithmetic\""), "\(listed.output)")
        // The node's numbers are really others.
        let bytes = try scene.bytes("out/o.ecsv")
        #expect(try scan(node, ["--local-slots", "1", "--no-discovery"]).code == 0)
        #expect(try scene.bytes("out/o.ecsv") != bytes)
    }
}

/// Makes a library that replaces a part of the C library in programs that are started with it.
enum OtherCLibrary {
    private static let compiler = "/usr/bin/cc"

    static var isPossible: Bool { FileManager.default.isExecutableFile(atPath: compiler) }

    /// A library to preload: the last digits of cosines, of which the kernel makes ellipses, are others, as those of another
    /// C library may be.
    static func withChangedCosines(in scene: Scene) throws -> String {
        try compile(
            """
            #define _GNU_SOURCE
            #include <dlfcn.h>
            static const double change = 1 + 1e-9;
            double cos(double x) {
                double (*real)(double) = (double (*)(double))dlsym(RTLD_NEXT, "cos");
                return real(x) * change;
            }
            void sincos(double x, double *sine, double *cosine) {
                void (*real)(double, double *, double *) =
                    (void (*)(double, double *, double *))dlsym(RTLD_NEXT, "sincos");
                real(x, sine, cosine);
                *cosine *= change;
            }
            """, "cosines.so", in: scene)
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
