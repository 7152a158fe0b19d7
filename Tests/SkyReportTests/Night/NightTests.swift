import Foundation
import SkyCatalogue
import SkyExtraction
import SkyFITS
import Testing

import SkyReport

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

    @Test("of a watch about the newest images are kept, and the sums of all")
    func bounded() throws {
        func scan(_ number: Int, _ name: String, _ night: inout Night) {
            night.know([(0, nil)], of: name)
            night.begin(0, of: name)
            // The first image takes longer than 300 others.
            if number == 300 { night.finish(0, of: "0.fits", Self.finding(), page: "0") }
            if number % 10 == 3 {
                night.fail(0, of: name, "unreadable")
            } else if number != 0 {
                night.finish(0, of: name, Self.finding(missing: number % 10 == 7 ? 1 : 0), page: "\(number)")
            }
        }
        var (few, all, revision) = (Night(limit: 100), Night(), 0)
        for number in 0..<5000 {
            // One that comes again after 4000 others is another image.
            scan(number, "\(number % 4000).fits", &few)
            scan(number, "\(number).fits", &all)
            #expect(few.images.count <= (number <= 300 ? number + 1 : 125))
            if number == 300 { #expect(few.first == 0) }
        }
        #expect(few.first + few.images.count == 5000 && few.images.last?.file == "999.fits")
        for state in NightImage.State.allCases { #expect(few.count(of: state) == all.count(of: state)) }
        let facts = NightUpdate.Facts(software: "s", began: "b", folder: "f", command: "c")
        let update = few.snapshot(of: facts, at: 1)
        #expect(update.first == few.first && update.rows.first?.number == few.first && update.rows.count <= 125)
        #expect(update.earlier.sources + 10 * few.images.count { $0.finding != nil } == 10 * 4500)
        _ = few.changes(since: &revision, at: 1)
        few.dropPage("4999")
        #expect(few.changes(since: &revision, at: 2)?.rows.map(\.number) == [4999])
        few.dropPage("1")
        #expect(few.changes(since: &revision, at: 3) == nil)
    }

    @Test("an image that is being scanned has a live page, which ends with the scan")
    func livePage() {
        var night = Night()
        for file in ["a", "b", "c", "d"] {
            night.know([(0, nil)], of: file)
            night.begin(0, of: file, page: "\(file).0")
        }
        #expect(night.images.map(\.page) == ["a.0", "b.0", "c.0", "d.0"])
        night.fail(0, of: "a", "unreadable")
        night.fail(file: "b", "unreadable")
        night.finish(0, of: "c", Self.finding(), page: nil)
        night.end("stopped")
        #expect(night.images.map(\.page) == [nil, nil, nil, nil])
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
