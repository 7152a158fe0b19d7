import Foundation
import SkyImage
import Testing

@testable import SkyReport

@Suite("night") struct NightTests {
    static func finding(sources: Int = 10, missing: Int = 0) -> NightImage.Finding {
        let quality = ImageQuality(
            CatalogueTable(columns: []), header: FITSHeader(cards: []), width: 30, height: 20, background: 1.23456789,
            noise: 2, parameters: ScanParameters())
        return .init(width: 30, height: 20, sources: sources, missing: missing, seconds: 1.5, quality: quality)
    }

    private struct Update: Decodable {
        struct End: Decodable { var ending: String }
        var columns: [String]
        var rows: [[Value]]
        var end: End?
    }

    private enum Value: Decodable, Equatable {
        case number(Double), text(String), none

        init(from decoder: any Decoder) throws {
            let value = try decoder.singleValueContainer()
            if value.decodeNil() {
                self = .none
            } else if let number = try? value.decode(Double.self) {
                self = .number(number)
            } else {
                self = .text(try value.decode(String.self))
            }
        }
    }

    private func decode(_ update: NightUpdate?) throws -> Update {
        try JSONDecoder().decode(Update.self, from: Data(try #require(update).json()))
    }

    @Test("a file counts as one image until its images are known")
    func images() {
        var night = Night()
        for file in ["a.fits", "m.fits", "bad.fits"] { night.add(file: file) }
        #expect(night.images.map(\.state) == [.waiting, .waiting, .waiting])
        night.know([(1, "CCD1"), (2, nil)], of: "m.fits")
        night.know([(0, nil)], of: "a.fits")
        night.know([(0, nil)], of: "a.fits")
        night.begin(0, of: "a.fits")
        night.begin(2, of: "m.fits")
        #expect(night.images.map(\.file) == ["a.fits", "m.fits", "bad.fits", "m.fits"])
        #expect(night.images.map(\.hdu) == [0, 1, nil, 2] && night.images[1].extensionName == "CCD1")
        #expect(night.images.map(\.state) == [.running, .waiting, .waiting, .running])
        #expect(night.now == "2 images being scanned, 2 waiting")
    }

    @Test("images end as done, partial or failed; a catalogue that cannot be written fails the others of its file")
    func endings() {
        var night = Night()
        night.know([(1, nil), (2, nil), (3, nil)], of: "m.fits")
        night.finish(1, of: "m.fits", Self.finding(), page: "m.1")
        night.finish(2, of: "m.fits", Self.finding(missing: 1), page: "m.2")
        night.fail(3, of: "m.fits", "unreadable")
        #expect(night.images.map(\.state) == [.done, .partial, .failed])
        #expect(night.images.map(\.reason) == [nil, "1 sector missing", "unreadable"])
        night.fail(file: "m.fits", "the disk is full")
        #expect(night.images.map(\.reason) == ["the disk is full", "the disk is full", "unreadable"])
        night.fail(file: "other.fits", "absent")
        #expect(night.images.last?.state == .failed)
    }

    @Test("the end is complete, partial or failed; what was running has not been scanned")
    func end() {
        var night = Night()
        night.know([(0, nil)], of: "a.fits")
        night.know([(0, nil)], of: "b.fits")
        night.finish(0, of: "a.fits", Self.finding(), page: nil)
        night.begin(0, of: "b.fits")
        var whole = night
        night.end("stopped")
        #expect(night.ending == .partial && night.images[1].state == .waiting && night.now == "stopped")
        whole.finish(0, of: "b.fits", Self.finding(), page: nil)
        whole.end("all")
        #expect(whole.ending == .complete)
        var none = Night()
        none.fail(file: "a.fits", "absent")
        none.end("")
        #expect(none.ending == .failed)
    }

    @Test("an update has the images that changed, one row each; the same again has none")
    func updates() throws {
        var night = Night()
        for file in ["a.fits", "b.fits"] { night.know([(0, nil)], of: file) }
        var revision = night.cursor
        #expect(night.changes(since: &revision, at: 1) == nil)
        night.finish(0, of: "b.fits", Self.finding(), page: "b.0")
        let update = try decode(night.changes(since: &revision, at: 1))
        let row = try #require(update.rows.first)
        #expect(update.rows.count == 1 && row.count == update.columns.count)
        let values = Dictionary(uniqueKeysWithValues: zip(update.columns, row))
        #expect(values["number"] == .number(1) && values["state"] == .text("done") && values["page"] == .text("b.0"))
        #expect(values["background"] == .number(1.23457) && values["seeing"] == Value.none)
        #expect(night.changes(since: &revision, at: 2) == nil)
        night.end("all")
        #expect(try decode(night.changes(since: &revision, at: 3)).end?.ending == "partial")
        let facts = NightUpdate.Facts(software: "s", began: "b", folder: "f", command: "c")
        #expect(try decode(night.snapshot(of: facts, at: 3)).rows.count == 2)
    }

    @Test("a page of 2,000 images is small")
    func size() {
        var night = Night()
        for number in 0..<2000 {
            night.know([(0, nil)], of: "night/2026-01-02/image-\(number).fits.fz")
            night.finish(0, of: "night/2026-01-02/image-\(number).fits.fz", Self.finding(), page: "image-\(number).0")
        }
        night.end("")
        let facts = NightUpdate.Facts(software: "s", began: "b", folder: "f", command: "c")
        #expect(NightPage.report(night.snapshot(of: facts, at: 3)).count < 500_000)
    }
}
