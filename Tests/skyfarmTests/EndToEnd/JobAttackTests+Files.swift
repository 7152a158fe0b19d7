import CommandLineKit
import Foundation
import ImageJobs
import ScanBasics
import Testing

/// Files outside of the folders, which jobs and local users try to reach by names that change.
extension JobAttackTests {
    private func makeSecret() throws -> String {
        try FileManager.default.createDirectory(atPath: scene.path("secret"), withIntermediateDirectories: true)
        _ = try scene.sky("secret/hidden-target.fits")
        return try scene.write("TOPSECRET password".utf8, "secret/passwd.txt")
    }

    /// Waits until the log of a job has `text`, and returns the log.
    private func log(_ id: String, until text: String) throws -> String {
        let store = SubmittedJobs(sharedIn: realPath(scene.path("shared")) ?? "")
        let end = ContinuousClock.now + Program.limit
        var log = ""
        repeat {
            log = (try? String(contentsOfFile: store.logPath(id), encoding: .utf8)) ?? ""
            if log.contains(text) { return log }
            usleep(20_000)
        } while .now < end
        return log
    }

    @Test("Security.md: a text file that was replaced by a link after the check is not read")
    func replacedText() throws {
        let beta = try node("beta")
        let secret = try makeSecret()
        try FileManager.default.createDirectory(atPath: scene.path("shared/w"), withIntermediateDirectories: true)
        let image = try scene.sky("w.fits")
        try FileManager.default.copyItem(atPath: image, toPath: scene.path("shared/w/a.fits"))
        let kernel = try scene.write("CONV NORM\n1 2 1\n2 4 2\n1 2 1\n".utf8, "shared/k.conv")
        let id = try submit(
            [scene.path("shared/w"), "--watch", "-o", scene.path("shared/out/"), "--kernel", kernel], [beta])
        let end = ContinuousClock.now + Program.limit
        while !FileManager.default.fileExists(atPath: scene.path("shared/out/a.fits")), .now < end { usleep(20_000) }
        unlink(kernel)
        symlink(secret, kernel)
        try FileManager.default.copyItem(atPath: image, toPath: scene.path("shared/w/b.fits"))
        let text = try log(id, until: "k.conv")
        #expect(text.contains("k.conv: cannot be read here") && !text.contains("TOPSECRET"), "\(text)")
        // A folder in the place of the watched one is not listed.
        rename(scene.path("shared/w"), scene.path("shared/old"))
        symlink(scene.path("secret"), scene.path("shared/w"))
        let watched = try log(id, until: "the folder cannot be read")
        #expect(watched.contains("the folder cannot be read") && !watched.contains("hidden-target"), "\(watched)")
        #expect(try run(["jobs", "cancel", id], [beta]).code == 0)
    }

    @Test(
        "Security.md: names in lists and patterns have one answer outside, whether or not they match",
        arguments: ["@list", "pattern"])
    func listed(by way: String) throws {
        let beta = try node("beta")
        _ = try makeSecret()
        symlink(scene.path("secret"), scene.path("shared/l"))
        var answers: Set<String> = []
        for (number, name) in ["*", "zz*", "hidden-target.fits", "no.fits", "", "hidden*[0]"].enumerated() {
            let place = way == "pattern" ? scene.path("shared/l/") : scene.path("secret/")
            let word =
                way == "pattern"
                ? place + name : "@" + (try scene.write("\(place)\(name)\n".utf8, "shared/list\(number)"))
            let result = try run(["submit", "--on", "beta", word, "-o", scene.path("shared/out\(number)/")], [beta])
            var text = result.errors
            if result.code == 0 {
                let id = result.output.trimmingCharacters(in: .newlines)
                let waited = try run(["jobs", "wait", id], [beta])
                #expect(waited.code == ExitCode.input.rawValue, "\(word): \(waited.errors)")
                text = try log(id, until: "skyfarm:")
            }
            #expect(!text.contains("passwd") && !text.contains("no file"), "\(word): \(text)")
            let line = try #require(text.split(separator: "\n").last { $0.contains("skyfarm:") })
            // But for the name. The submitter's own machine sees some of the files, so that the node refuses them at once.
            answers.insert(String(line.replacing(/\/tmp\/[^ :]*/, with: "NAME").replacing("beta: ", with: "")))
        }
        #expect(answers.count == 1, "\(answers)")
    }

    @Test("a file of a job that names a command that nodes run for their owners alone is not run")
    func otherCommand() throws {
        let store = SubmittedJobs(sharedIn: try #require(realPath(scene.path("shared"))))
        let image = try scene.sky("shared/work")
        var job = SubmittedJob(
            id: "1f0c", words: ["-o", scene.path("shared/out/"), "--", image], folder: scene.path("shared"),
            environment: [:], submitted: 1)
        job.verb = .calibrate
        try store.write(job)
        let beta = try node("beta")
        let text = try log("1f0c", until: "skyfarm:")
        #expect(text.contains("submit: --on takes scan and map"), "\(text)")
        #expect(!FileManager.default.fileExists(atPath: scene.path("shared/out")))
        withExtendedLifetime(beta) {}
    }

    @Test("a pipe as the lock of a job holds up no node")
    func pipeAsLock() throws {
        let beta = try node("beta")
        let image = try scene.sky("shared/sky.fits")
        let id = try submit([image, "-o", scene.path("shared/o.csv")], [beta])
        #expect(try run(["jobs", "wait", id], [beta]).code == 0)
        let jobs = scene.path("shared/.skyfarm/jobs")
        let text = try String(contentsOfFile: "\(jobs)/\(id)/job.json", encoding: .utf8)
        try FileManager.default.createDirectory(
            atPath: "\(jobs)/deadbeef/run-1000000000", withIntermediateDirectories: true)
        try text.replacingOccurrences(of: id, with: "deadbeef")
            .write(toFile: "\(jobs)/deadbeef/job.json", atomically: true, encoding: .utf8)
        try "{}".write(toFile: "\(jobs)/deadbeef/lease-1000000000", atomically: true, encoding: .utf8)
        #expect(mkfifo("\(jobs)/deadbeef/run-1000000000/lock", 0o600) == 0)
        #expect(mkfifo("\(jobs)/deadbeef/lock", 0o600) == 0)
        #expect(try run(["jobs"], [beta]).code == 0)
        beta.program.send(SIGTERM)
        #expect(try beta.program.finish().code == 0)
    }

    @Test("a folder of states that others can write to is not trusted")
    func foreignState() throws {
        let state = scene.path("state-open")
        try FileManager.default.createDirectory(atPath: state + "/skyfarm/jobs", withIntermediateDirectories: true)
        chmod(state + "/skyfarm", 0o775)
        let image = try scene.sky("sky.fits")
        let precious = try scene.write("precious".utf8, "precious")
        let environment = ["XDG_STATE_HOME": state]
        let jobs = try Program.run(["jobs"], environment: environment)
        #expect(jobs.code != 0 && jobs.errors.contains("others can write to it"), "\(jobs.errors)")
        let scan = try Program.run(["scan", image, "-o", scene.path("o.csv")], environment: environment)
        #expect(scan.code == 0 && scan.errors.contains("others can write to it"), "\(scan.errors)")
        let down = try Program.run(["down"], environment: environment)
        #expect(down.code != 0 && down.errors.contains("others can write to it"), "\(down.errors)")
        if geteuid() == 0 {
            chmod(state + "/skyfarm", 0o700)
            chown(state + "/skyfarm", 65_534, 65_534)
            #expect(try Program.run(["jobs"], environment: environment).errors.contains("belongs to another user"))
            chown(state + "/skyfarm", 0, 0)
        }
        // Nor is a link in a folder of one's own followed.
        chmod(state + "/skyfarm", 0o700)
        let first = try Program.run(
            ["scan", image, "-o", scene.path("o.csv"), "--overwrite", "--band", "64"], environment: environment)
        #expect(first.code == 0, "\(first.errors)")
        let id = try #require(
            try FileManager.default.contentsOfDirectory(atPath: state + "/skyfarm")
                .first { $0.hasSuffix(".journal") }?.dropLast(8))
        symlink(precious, state + "/skyfarm/\(id).lock")
        let second = try Program.run(
            ["scan", image, "-o", scene.path("o.csv"), "--overwrite", "--band", "64"], environment: environment)
        #expect(second.code != 0, "\(second.errors)")
        #expect(try scene.bytes("precious") == Data("precious".utf8))
    }
}
