import CommandLineKit
import Foundation
import SkyScan
import Testing

/// A coordinator and a node with another libsep, which is made with the C compiler.
@Suite(
    "a node whose SEP computes differently", .serialized,
    .enabled(if: OtherSEP.isPossible, "needs a C compiler (Debian: gcc)"))
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
        let library = try OtherSEP.withChangedEllipses(in: scene)
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
        #expect(!line.contains("\(ArithmeticFingerprint.current)") && line.contains("SEP "))
        let listed = try mine.run(["nodes", "--node", node.address, flag, "--json"])
        #expect(listed.code == 0 && listed.output.contains("\"arithmetic\""), "\(listed.output)")
        // The node's numbers are really others.
        let bytes = try scene.bytes("out/o.ecsv")
        #expect(try scan(node, ["--local-slots", "1", "--no-discovery"]).code == 0)
        #expect(try scene.bytes("out/o.ecsv") != bytes)
    }

    @Test("and draws at random is detected by its blends, where it extracts, although rand_r is replaced")
    func draw() throws {
        let environment = try OtherSEP.withRandomDraw(in: scene).merging(["SKYFARM_ENGINE": "sep"]) { $1 }
        let words = ["scan", image, "-o", scene.path("out/o.csv"), "--local-slots", "1", "--no-journal"]
        let result = try Program.run(words, environment: environment)
        #expect(result.code == ExitCode.input.rawValue && scene.outputs.isEmpty)
        #expect(result.errors.contains("SEP's random draw is not Skyfarm's fixed one"), "\(result.errors)")
        let node = try Program.run(["node", "--listen", "127.0.0.1:0"], environment: environment)
        #expect(node.code == ExitCode.failure.rawValue && node.errors.contains("random draw"), "\(node.errors)")
    }
}

/// Makes libraries that replace libsep, or a part of it, in programs that are started with them.
enum OtherSEP {
    private static let compiler = "/usr/bin/cc"

    static var isPossible: Bool { FileManager.default.isExecutableFile(atPath: compiler) }

    /// A library to preload: the ellipses' last bits are others, as those of another compiler may be.
    static func withChangedEllipses(in scene: Scene) throws -> String {
        try compile(
            """
            #define _GNU_SOURCE
            #include <dlfcn.h>
            #include <math.h>
            int sep_kron_radius(const void *im, double x, double y, double cxx, double cyy, double cxy, double r,
                int id, double *kronrad, short *flag) {
                int (*real)(const void *, double, double, double, double, double, double, int, double *, short *) =
                    dlsym(RTLD_NEXT, "sep_kron_radius");
                int status = real(im, x, y, cxx, cyy, cxy, r, id, kronrad, flag);
                *kronrad = nextafter(*kronrad, 100);
                return status;
            }
            """, "ellipses.so", in: scene)
    }

    /// The environment of a program whose libsep calls another function for its draw than `rand_r`: what happens where
    /// libraries bind their symbols directly.
    static func withRandomDraw(in scene: Scene) throws -> [String: String] {
        let draw = try compile(
            """
            int rand_q(unsigned *seed) {
                *seed = *seed * 1103515245u + 12345u;
                return *seed >> 1 & 0x7fffffff;
            }
            """, "draw.so", in: scene)
        let lines = try Program.run(path: "/usr/bin/ldd", [Program.path]).output.split(separator: "\n")
        let words = try #require(lines.first { $0.contains("libsep.so") }).split(separator: " ")
        var library = try Data(contentsOf: URL(fileURLWithPath: String(words[2])))
        let name = try #require(library.range(of: Data("\0rand_r\0".utf8)))
        library.replaceSubrange(name, with: Data("\0rand_q\0".utf8))
        _ = try scene.write(library, words[0].trimmingCharacters(in: .whitespaces))
        return ["LD_LIBRARY_PATH": scene.folder, "LD_PRELOAD": draw]
    }

    private static func compile(_ source: String, _ name: String, in scene: Scene) throws -> String {
        let path = try scene.write(source.utf8, name + ".c")
        let output = scene.path(name)
        let result = try Program.run(path: compiler, ["-shared", "-fPIC", "-O2", "-o", output, path, "-ldl", "-lm"])
        guard result.code == 0 else { throw Program.Failure(description: result.errors) }
        return output
    }
}
