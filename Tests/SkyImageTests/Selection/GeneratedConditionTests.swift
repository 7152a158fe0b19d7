import Foundation
import SkyTestSupport
import Testing

import SkyFITS

/// Random conditions on random headers, whose truth Python finds out by astropy.
@Suite(.enabled(if: AstropyPython.isPresent, Comment(rawValue: AstropyPython.absent)))
struct GeneratedConditionTests {
    static let first = ProcessInfo.processInfo.environment["SKYFARM_PROPERTY_SEED"].flatMap(Int.init) ?? 1
    static let cases = ProcessInfo.processInfo.environment["SKYFARM_CONDITION_CASES"].flatMap(Int.init) ?? 100

    private static let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("generated_conditions.py").path

    @Test("are true, false or neither as the cards that astropy reads say")
    func generated() throws {
        let folder = try TemporaryFolder()
        let lines = try AstropyPython.run([Self.script, folder.path, "\(Self.first)", "\(Self.cases)"])
        var counts: [Bool?: Int] = [:]
        var surveys: [Substring: FITSSurvey] = [:]
        for line in lines.split(separator: "\n") {
            let parts = line.split(separator: " ", maxSplits: 3)
            let (seed, hdu, text) = (parts[0], try #require(Int(parts[1])), String(parts[3]))
            let wanted: Bool? = parts[2] == "-" ? nil : parts[2] == "1"
            let survey =
                try surveys[seed]
                ?? FITSSurvey(of: folder.path("\(seed).fits"), planes: .colours, keepsHeaders: true)
            surveys[seed] = survey
            let header = try #require(survey.headers[hdu])
            let verdict = try HeaderCondition(text).verdict(header: header, primary: hdu > 0 ? survey.headers[0] : nil)
            #expect(verdict.isTrue == wanted, "seed \(seed), HDU \(hdu): \(text) because \(verdict.reason)")
            #expect(verdict.reason.isEmpty == (wanted == true))
            counts[verdict.isTrue, default: 0] += 1
        }
        #expect(counts.values.allSatisfy { $0 > Self.cases } && counts.count == 3, "\(counts)")
    }
}
