import Foundation
import SkyTestSupport
import Testing

import SkyFITS

/// Random files of all sample types, compressions, tiles, scalings and odd cards.
@Suite(.enabled(if: AstropyPython.isPresent, Comment(rawValue: AstropyPython.absent)))
struct GeneratedFileTests {
    static let first = ProcessInfo.processInfo.environment["SKYFARM_PROPERTY_SEED"].flatMap(Int.init) ?? 1
    static let cases = ProcessInfo.processInfo.environment["SKYFARM_FILE_CASES"].flatMap(Int.init) ?? 120
    /// Files that are made at a time, which bounds what they take on disk.
    private static let batch = 500

    private static let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("generated_files.py").path

    @Test("pixels of generated files are astropy's to the bit, or are refused with a reason")
    func generated() throws {
        var (equal, refused, lost) = (0, 0, 0)
        for start in stride(from: Self.first, to: Self.first + Self.cases, by: Self.batch) {
            let folder = try TemporaryFolder()
            let count = min(Self.batch, Self.first + Self.cases - start)
            for line in made(start, count, in: folder, &lost) {
                if try check(String(line), in: folder) { equal += 1 } else { refused += 1 }
            }
        }
        #expect(lost <= Self.cases / 100, "astropy has made all but \(lost)")
        #expect(equal > Self.cases * 3 / 4 && refused < Self.cases / 20, "\(equal) read, \(refused) refused")
    }

    /// Makes the files of `count` seeds, but for those that crash astropy, which are counted.
    private func made(_ start: Int, _ count: Int, in folder: TemporaryFolder, _ lost: inout Int) -> [Substring] {
        if let lines = try? AstropyPython.run([Self.script, folder.path, "\(start)", "\(count)"]) {
            return lines.split(separator: "\n")
        }
        if count == 1 {
            lost += 1
            return []
        }
        let half = count / 2
        return made(start, half, in: folder, &lost) + made(start + half, count - half, in: folder, &lost)
    }

    /// Whether the file was read; false if it was refused.
    private func check(_ line: String, in folder: TemporaryFolder) throws -> Bool {
        let name = String(line.prefix { $0 != " " })
        let file = name.replacing("[", with: "_").replacing("]", with: "_") + ".pixels"
        let bytes = try Data(contentsOf: URL(fileURLWithPath: folder.path(file)))
        let wanted = bytes.withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
        do {
            let image = try FITSImage(folder.path(name))
            let found = try image.pixels(rows: 0..<image.height, columns: 0..<image.width)
            let isEqual =
                found.count == wanted.count
                // What underflows is 0 here, and -0 there if it was negative.
                && zip(found, wanted).allSatisfy { $0 == $1 || $0.isNaN && $1.isNaN }
            #expect(isEqual, "seed \(line): \(Self.difference(found, wanted))")
            return true
        } catch let error as ImageError {
            #expect(!error.message.isEmpty && !error.message.contains("\n"), "seed \(line)")
            return false
        }
    }

    private static func difference(_ found: [Float], _ wanted: [Float]) -> String {
        let place = zip(found, wanted).enumerated().first { $1.0 != $1.1 && !($1.0.isNaN && $1.1.isNaN) }
        return place.map { "pixel \($0.offset) is \($0.element.0), not \($0.element.1)" } ?? "\(found.count) pixels"
    }
}
