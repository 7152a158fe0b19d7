import CommandLineKit
import Foundation
import Testing

/// What a user gets who gives the program something it cannot use: one line that says why and what to do.
@Suite("bad input", .serialized) struct BadInputTests {
    let scene: Scene

    init() throws { scene = try Scene() }

    /// Scans `image`, and expects one line with these words, this exit code and no file.
    private func expectFailure(
        _ code: ExitCode, _ words: [String], image: String, output: String = "out/o.fits", _ further: [String] = [],
        prefix: [String] = [], leaves files: [String] = [], sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let arguments = ["scan", image, "-o", output.hasPrefix("/") ? output : scene.path(output)] + further
        let result = try Program.run(arguments, prefix: prefix)
        #expect(result.code == code.rawValue, "\(result.errors)", sourceLocation: sourceLocation)
        #expect(result.output.isEmpty, sourceLocation: sourceLocation)
        let complaints = result.errorLines.filter { $0.hasPrefix("skyfarm: ") }
        #expect(complaints.count == 1, "\(result.errors)", sourceLocation: sourceLocation)
        for word in words { #expect(result.errors.contains(word), "\(result.errors)", sourceLocation: sourceLocation) }
        #expect(scene.outputs == files, sourceLocation: sourceLocation)
    }

    // MARK: Images

    @Test(
        "a file that is no FITS image is named, with what it is and what to do",
        arguments: [
            ([], "the file is empty; fetch it again"), (Array("\u{89}PNG\r\n".utf8), "not a FITS file"),
            ([0x89, 0x50, 0x4e, 0x47, 13, 10], "a PNG picture; name a FITS image"),
            (Array("x,y\n1,2\n".utf8), "it looks like text; name a FITS image"),
            (Array("SIMPLE  =                    T".utf8), "fetch the file again"),
        ])
    func foreignFiles(bytes: [UInt8], words: String) throws {
        try expectFailure(.input, ["image.fits: ", words], image: scene.write(bytes, "image.fits"))
    }

    @Test(
        "a missing file and a folder without images are named",
        arguments: [("nothing.fits", "no such file"), ("out", "the folder has no file")])
    func missing(name: String, words: String) throws {
        try expectFailure(.input, ["\(name): \(words)"], image: scene.path(name))
    }

    @Test("a file that is cut off is named with the bytes it lacks", arguments: [2880, 4000, 100_000])
    func truncated(length: Int) throws {
        let whole = try scene.bytes(URL(fileURLWithPath: scene.sky()).lastPathComponent)
        try expectFailure(
            .input, ["truncated: ", "fetch it again"], image: scene.write(whole.prefix(length), "cut.fits"))
    }

    @Test("a file without a 2-D image says what it has instead")
    func noImage() throws {
        try expectFailure(.input, ["no 2-D image; it has ", "binary table"], image: scene.table("table.fits"))
        try expectFailure(
            .input, ["no 2-D image", "3-D image 8x8x4"], image: scene.image("cube.fits", axes: [8, 8, 4], sample: 1))
        try expectFailure(.input, ["holds no 2-D image"], image: scene.table("table.fits") + "[STARS]")
    }

    @Test("an HDU that is not there is answered with those that are", arguments: ["[3]", "[SCI]", "[SCI,2]"])
    func noSuchHDU(selector: String) throws {
        try expectFailure(
            .input, ["no such HDU", "HDU 0: 2-D image 600x500", "choose one of these"], image: scene.sky() + selector)
    }

    @Test("what cannot be read like a file is refused at once: a device, a pipe")
    func notRegular() throws {
        try expectFailure(.input, ["/dev/zero: is no regular file"], image: "/dev/zero")
        #expect(mkfifo(scene.path("pipe.fits"), 0o600) == 0)
        try expectFailure(.input, ["pipe.fits: is no regular file"], image: scene.path("pipe.fits"))
    }

    @Test("a file that this user may not read is named", .enabled(if: Unprivileged.isPossible, Unprivileged.comment))
    func unreadable() throws {
        let path = try scene.sky()
        chmod(path, 0)
        chmod(scene.path("out"), 0o777)
        try expectFailure(.input, ["sky.fits: permission denied; "], image: path, prefix: Unprivileged.prefix)
    }

    @Test("an image without a single source gives an empty catalogue", arguments: [1.0, 0, -1e30] as [Float])
    func nothingToFind(sample: Float) throws {
        for axes in [[1, 1], [70, 90], [1, 300], [300, 1]] {
            let image = try scene.image("flat.fits", axes: axes, sample: sample)
            let words = ["scan", image, "-o", scene.path("out/o.csv"), "--overwrite"]
            let result = try Program.run(words)
            #expect(result.code == 0, "\(axes): \(result.errors)")
            #expect(result.errors.contains("no sources found"))
            #expect(try scene.bytes("out/o.csv").split(separator: UInt8(ascii: "\n")).count == 1)
        }
    }

    @Test("an image without a single number says so", arguments: [.nan, .infinity] as [Float])
    func noNumbers(sample: Float) throws {
        try expectFailure(
            .input, ["every pixel of the image is masked or not a number; check "],
            image: scene.image("empty.fits", axes: [70, 90], sample: sample), ["--progress", "never"])
    }

    @Test("a mask of another size is refused with both sizes")
    func maskSize() throws {
        let mask = try scene.image("mask.fits", axes: [10, 10], sample: 0)
        try expectFailure(
            .input, ["mask is 10 by 10 pixels, the image 600 by 500"], image: scene.sky(), ["--mask", mask])
        try expectFailure(
            .input, ["nothing.conv: "], image: scene.path("sky.fits"), ["--kernel", scene.path("nothing.conv")])
    }

    // MARK: Outputs

    @Test("an output that exists is kept, unless --overwrite is given")
    func exists() throws {
        let image = try scene.sky()
        let kept = try scene.write("mine".utf8, "out/o.csv")
        try expectFailure(
            .output, ["exists already", "--overwrite"], image: image, output: "out/o.csv", leaves: ["o.csv"])
        #expect(try scene.bytes("out/o.csv") == Data("mine".utf8))
        #expect(try Program.run(["scan", image, "-o", kept, "--overwrite"]).code == 0)
        #expect(try scene.bytes("out/o.csv").count > 1000)
        #expect(scene.outputs == ["o.csv"])
    }

    @Test("the image itself is never overwritten, under whatever name")
    func outputIsInput() throws {
        let image = try scene.sky()
        let before = try scene.bytes("sky.fits")
        symlink(image, scene.path("out/link.fits"))
        let names = ["sky.fits", "out/../sky.fits", "out/link.fits"]
        for name in names {
            try expectFailure(
                .output, ["is the image itself", "name another file"], image: image, output: name, ["--overwrite"],
                leaves: ["link.fits"])
        }
        let mask = try scene.image("mask.fits", axes: [600, 500], sample: 0)
        try expectFailure(
            .output, ["is the mask itself"], image: image, output: mask, ["--overwrite", "--mask", mask],
            leaves: ["link.fits"])
        #expect(try scene.bytes("sky.fits") == before)
    }

    @Test("two outputs of one name are refused before the scan")
    func sameOutputs() throws {
        try expectFailure(
            .usage, ["the same file"], image: scene.sky(), ["-o", scene.path("out/../out/o.fits")])
    }

    @Test("an output folder that is missing is named")
    func noFolder() throws {
        try expectFailure(
            .output, ["its folder does not exist; create it first"], image: scene.sky(), output: "none/o.csv")
    }

    @Test(
        "an output folder that this user may not change is named",
        .enabled(if: Unprivileged.isPossible, Unprivileged.comment))
    func unwritable() throws {
        let image = try scene.sky()
        chmod(scene.path("out"), 0o555)
        try expectFailure(
            .output, ["permission denied; write to a folder that this user may change"], image: image,
            // Nor may this user change the folder of journals.
            ["--no-journal"], prefix: Unprivileged.prefix)
    }

    @Test(
        "a full disk is named, and nothing stays on it",
        .enabled(
            if: geteuid() == 0, "mounts a small file system in a name space of its own, for which it must be root"),
        arguments: ["fits", "csv", "ecsv", "reg"])
    func fullDisk(ending: String) throws {
        let image = try scene.sky(size: "1500x1500", ["--density", "3000"])
        let script =
            #"mount -t tmpfs -o size=64k none "$0" && { "$@"; code=$?; ls -A "$0" >&2; exit $code; }"#
        let prefix = ["unshare", "-m", "--propagation", "private", "sh", "-c", script, scene.path("out")]
        try expectFailure(
            .output, ["o.\(ending): no space left on device; free some room or write to another disk\n"], image: image,
            output: "out/o.\(ending)", ["--progress", "never"], prefix: prefix)
    }

    @Test("a standard output that is closed or full is an error of the output")
    func standardOutput() throws {
        let image = try scene.sky()
        let closed = try Program.run(["scan", image, "--progress", "never"], output: .closed)
        #expect(closed.code == ExitCode.output.rawValue)
        #expect(closed.errors.hasPrefix("skyfarm: standard output: bad file descriptor"), "\(closed.errors)")
        let full = try Program.run(["scan", image, "--progress", "never"], output: .file("/dev/full"))
        #expect(full.code == ExitCode.output.rawValue)
        #expect(full.errors.hasPrefix("skyfarm: standard output: no space left on device"), "\(full.errors)")
        #expect(full.errorLines.count == 1)
    }

    @Test(
        "a command whose standard output is no longer read ends quietly, as by SIGPIPE",
        arguments: ["help", "scan"])
    func closedPipe(command: String) throws {
        // Opened for both first, since a pipe without a reader cannot be opened for writing.
        let script = #"mkfifo "$0" && exec 3<>"$0" 4>"$0" 3>&- && exec "$@" >&4"#
        let words = command == "scan" ? ["scan", try scene.sky(), "--progress", "never"] : ["help"]
        let result = try Program.run(words, prefix: ["sh", "-c", script, scene.path("pipe")])
        #expect(result.code == 141 && result.errors.isEmpty, "\(result.errors)")
    }

    // MARK: Flags

    @Test(
        "flags that make no sense are answered with what is expected",
        arguments: [
            (["-o", "x.txt"], "x.txt: unknown ending; use .fits, .fit, .csv or .ecsv, each also with .gz"),
            (["-o", "x.reg.gz"], "x.reg.gz: unknown ending; use .fits"), (["-o", "gz"], "gz: unknown ending"),
            (["-o", "-", "--json"], "-o FILE"),
            (["--json"], "-o FILE"), (["--thresold", "2"], "did you mean --threshold?"),
            (["--threshold", "0"], "0.01"),
            (["--band", "none"], "--band"), (["--local-slots", "-1"], "--local-slots"),
            (["--node", "host"], "HOST:PORT"),
            (["--filter", "mexican"], "conv, matched"), (["other.fits"], "several images need names"), (["-o"], "-o"),
        ])
    func usage(words: [String], expected: String) throws {
        let result = try Program.run(["scan", "image.fits"] + words)
        #expect(result.code == ExitCode.usage.rawValue)
        #expect(result.output.isEmpty && result.errorLines.count == 1, "\(result.errors)")
        #expect(result.errors.contains(expected), "\(result.errors)")
    }
}

/// Runs a program as a user without rights, where the tests run as root.
enum Unprivileged {
    private static let setpriv = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
    static let prefix = geteuid() == 0 ? setpriv : []
    /// As root it takes a user who can at least start the program.
    static let isPossible = geteuid() != 0 || (try? Program.run(["--version"], prefix: prefix).code) == 0
    static let comment: Comment = "needs a user without rights who can start the program"
}
