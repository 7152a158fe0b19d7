import skyfarm
import CommandLineKit
import Foundation
import Testing

import Console

@Suite struct LogTests {
    private let time = Date(timeIntervalSince1970: 1_700_000_000.5)

    private func log(_ words: [String], _ environment: [String: String] = [:]) throws -> Log {
        let parser = CommandLineParser(Skyfarm.program)
        guard case .run(_, var arguments) = try parser.parse(["scan", "a.fits"] + words) else {
            throw Program.Failure(description: "not a run: \(words)")
        }
        arguments.environment = environment
        return try Log(arguments)
    }

    @Test("lines of lesser importance are left out: quiet shows errors, verbose all")
    func levels() throws {
        let usual = try log(["--color", "never"])
        #expect(usual.line(.info, "a") == "skyfarm: a\n" && usual.line(.debug, "a") == nil)
        let quiet = try log(["-q"])
        #expect(quiet.line(.warning, "a") == nil && quiet.line(.error, "a") != nil)
        #expect(try log(["-v"]).line(.debug, "a") != nil)
    }

    @Test("a message of megabytes is cut, as text, in colours and as JSON")
    func long() throws {
        let message = StyledText("bad: " + String(repeating: "x", count: 2_000_000))
        let line = try #require(Log().line(.error, message))
        #expect(
            line.count < 4200 && line.hasSuffix("xxx … (1995909 more characters)\n")
                && line.hasPrefix("skyfarm: bad: x"))
        #expect(Log(usesColor: true).bareLine(message).count < 4200)
        #expect(try log([], ["SKYFARM_LOG_FORMAT": "json"]).line(.error, message)?.count ?? 9999 < 4400)
    }

    @Test("faults are red and yellow, names bold")
    func colors() {
        let log = Log(usesColor: true)
        #expect(log.line(.info, "node \(name: "a")") == "skyfarm: node \u{1b}[1ma\u{1b}[m\n")
        #expect(log.line(.warning, "gone") == "\u{1b}[33mskyfarm: gone\u{1b}[m\n")
        #expect(log.line(.error, "lost") == "\u{1b}[31mskyfarm: lost\u{1b}[m\n")
    }

    @Test("as text a line has time, level and job, and no colour")
    func text() throws {
        var log = try log(["--log-format", "text"]).about("1f0c8e2d")
        log.usesColor = true
        #expect(
            log.line(.warning, "node \(name: "a") left", at: time)
                == "2023-11-14T22:13:20.500Z warning job=1f0c8e2d node a left\n")
        #expect(log.about(nil).bareLine("done", at: time) == "2023-11-14T22:13:20.500Z info done\n")
    }

    @Test("as JSON each line is an object")
    func json() throws {
        let log = try log([], ["SKYFARM_LOG_FORMAT": "json"]).about("1f0c8e2d")
        let line = try #require(log.line(.error, "a \"b\"", at: time))
        #expect(
            line == """
                {"event":"log","job":"1f0c8e2d","level":"error","message":"a \\"b\\"","program":"skyfarm",\
                "time":"2023-11-14T22:13:20.500Z","v":1}

                """)
    }

    @Test("to the journal the level is the priority in front, and the time is left to it")
    func journal() {
        var log = Log(goesToJournal: true).about("1f0c8e2d")
        #expect(log.line(.error, "a") == "<3>job=1f0c8e2d a\n" && log.line(.warning, "a") == "<4>job=1f0c8e2d a\n")
        #expect(log.about(nil).bareLine("a") == "<6>a\n")
        log.format = .json
        #expect(log.line(.info, "a")?.hasPrefix("<6>{\"event\":\"log\"") == true)
    }
}
