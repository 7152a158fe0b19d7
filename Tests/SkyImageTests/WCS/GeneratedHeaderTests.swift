import Foundation
import SkyTestSupport
import Testing

import SkyFITS

/// Random headers of all projections and distortions, valid and odd ones.
@Suite(.enabled(if: AstropyPython.isPresent, Comment(rawValue: AstropyPython.absent)))
struct GeneratedHeaderTests {
    static let first = ProcessInfo.processInfo.environment["SKYFARM_PROPERTY_SEED"].flatMap(UInt64.init) ?? 1
    static let cases = ProcessInfo.processInfo.environment["SKYFARM_HEADER_CASES"].flatMap(Int.init) ?? 600

    private struct Case: Decodable {
        var cards: [String]
        /// What is wrong with the header, or only unusual; empty if it is as it should be.
        var oddity: String
        /// Right ascensions and declinations by turns that are accepted; null: no coordinates.
        var results: [[Double?]?]
    }

    private static let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("generated_headers.py").path

    /// The positions of the script.
    private static let rows: [Double] = [0, 211.5, 799]
    private static let columns: [Double] = [-0.5, 333.25, 640, 999]

    @Test("coordinates of generated headers are astropy's, or are refused with a reason; valid headers are not refused")
    func generated() throws {
        let text = try AstropyPython.run([Self.script, "\(Self.first)", "\(Self.cases)"])
        let lines = text.split(separator: "\n").filter { $0.hasPrefix("{") }
        try #require(lines.count == Self.cases)
        let x = Self.rows.flatMap { _ in Self.columns }
        let y = Self.rows.flatMap { row in Self.columns.map { _ in row } }
        var (given, refused) = (0, 0)
        for (index, line) in lines.enumerated() {
            let header = try JSONDecoder().decode(Case.self, from: Data(line.utf8))
            let words = "seed \(Self.first), header \(index) (\(header.oddity)): \(Self.shown(header.cards))"
            do throws(WCSUnavailable) {
                let found = try CelestialWCS(header: FITSHeader(cards: header.cards)).coordinates(x: x, y: y)
                let isAccepted = header.results.contains { Self.equals($0, found) }
                #expect(isAccepted, "\(words): \(found.rightAscension), not \(String(describing: header.results))")
                given += 1
            } catch {
                #expect(!error.description.isEmpty && !error.description.contains("\n"))
                #expect(!header.oddity.isEmpty || header.results == [nil], "\(words): \(error)")
                refused += 1
            }
        }
        #expect(given > Self.cases / 2 && refused > Self.cases / 20)
    }

    private static func shown(_ cards: [String]) -> String {
        cards.map { $0.split(separator: " ").joined(separator: " ") }.joined(separator: "; ")
    }

    /// Whether positions are the expected ones within 1e-8 degrees on the sky, or if none is expected, have no value.
    private static func equals(
        _ expected: [Double?]?, _ found: (rightAscension: [Double], declination: [Double])
    ) -> Bool {
        let places = Array(zip(found.rightAscension, found.declination))
        guard let expected else { return places.allSatisfy { $0.0.isNaN || $0.1.isNaN } }
        return places.indices.allSatisfy { index in
            let (ra, dec) = places[index]
            guard let wantedRA = expected[2 * index], let wantedDec = expected[2 * index + 1] else { return ra.isNaN }
            let across = (ra - wantedRA).remainder(dividingBy: 360) * cos(dec * .pi / 180)
            return abs(across) < 1e-8 && abs(dec - wantedDec) < 1e-8
        }
    }
}
