import Foundation
import SkyCatalogue
import SkyExtraction
import SkyFITS
import Testing

import SkyReport

@Suite("the index of a job of many images") struct ImageIndexTests {
    static func finding(sources: Int = 10, missing: Int = 0) -> IndexedImage.Finding {
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

    private func decode(_ update: IndexUpdate?) throws -> Update {
        try JSONDecoder().decode(Update.self, from: Data(try #require(update).json()))
    }

    @Test("a file counts as one image until its images are known")
    func images() {
        var index = ImageIndex()
        for file in ["a.fits", "m.fits", "bad.fits"] { index.add(file: file) }
        #expect(index.images.map(\.state) == [.waiting, .waiting, .waiting])
        index.know([(1, "CCD1"), (2, nil)], of: "m.fits")
        index.know([(0, nil)], of: "a.fits")
        index.know([(0, nil)], of: "a.fits")
        index.begin(0, of: "a.fits")
        index.begin(2, of: "m.fits")
        #expect(index.images.map(\.file) == ["a.fits", "m.fits", "bad.fits", "m.fits"])
        #expect(index.images.map(\.hdu) == [0, 1, nil, 2] && index.images[1].extensionName == "CCD1")
        #expect(index.images.map(\.state) == [.running, .waiting, .waiting, .running])
        #expect(index.now == "2 images being scanned, 2 waiting")
    }

    @Test("images end as done, partial or failed; a catalogue that cannot be written fails the others of its file")
    func endings() {
        var index = ImageIndex()
        index.know([(1, nil), (2, nil), (3, nil)], of: "m.fits")
        index.finish(1, of: "m.fits", Self.finding(), page: "m.1")
        index.finish(2, of: "m.fits", Self.finding(missing: 1), page: "m.2")
        index.fail(3, of: "m.fits", "unreadable")
        #expect(index.images.map(\.state) == [.done, .partial, .failed])
        #expect(index.images.map(\.reason) == [nil, "1 sector missing", "unreadable"])
        index.fail(file: "m.fits", "the disk is full")
        #expect(index.images.map(\.reason) == ["the disk is full", "the disk is full", "unreadable"])
        index.fail(file: "other.fits", "absent")
        #expect(index.images.last?.state == .failed)
    }

    @Test("the end is complete, partial or failed; what was running has not been scanned")
    func end() {
        var index = ImageIndex()
        index.know([(0, nil)], of: "a.fits")
        index.know([(0, nil)], of: "b.fits")
        index.finish(0, of: "a.fits", Self.finding(), page: nil)
        index.begin(0, of: "b.fits")
        var whole = index
        index.end("stopped")
        #expect(index.ending == .partial && index.images[1].state == .waiting && index.now == "stopped")
        whole.finish(0, of: "b.fits", Self.finding(), page: nil)
        whole.end("all")
        #expect(whole.ending == .complete)
        var none = ImageIndex()
        none.fail(file: "a.fits", "absent")
        none.end("")
        #expect(none.ending == .failed)
    }

    @Test("an update has the images that changed, one row each; the same again has none")
    func updates() throws {
        var index = ImageIndex()
        for file in ["a.fits", "b.fits"] { index.know([(0, nil)], of: file) }
        var revision = index.cursor
        #expect(index.changes(since: &revision, at: 1) == nil)
        index.finish(0, of: "b.fits", Self.finding(), page: "b.0")
        let update = try decode(index.changes(since: &revision, at: 1))
        let row = try #require(update.rows.first)
        #expect(update.rows.count == 1 && row.count == update.columns.count)
        let values = Dictionary(uniqueKeysWithValues: zip(update.columns, row))
        #expect(values["number"] == .number(1) && values["state"] == .text("done") && values["page"] == .text("b.0"))
        #expect(values["background"] == .number(1.23457) && values["seeing"] == Value.none)
        #expect(index.changes(since: &revision, at: 2) == nil)
        index.end("all")
        #expect(try decode(index.changes(since: &revision, at: 3)).end?.ending == "partial")
        let facts = IndexUpdate.Facts(software: "s", began: "b", folder: "f", command: "c")
        #expect(try decode(index.snapshot(of: facts, at: 3)).rows.count == 2)
    }

    @Test("of a watch about the newest images are kept, and the sums of all")
    func bounded() throws {
        func scan(_ number: Int, _ name: String, _ index: inout ImageIndex) {
            index.know([(0, nil)], of: name)
            index.begin(0, of: name)
            // The first image takes longer than 300 others.
            if number == 300 { index.finish(0, of: "0.fits", Self.finding(), page: "0") }
            if number % 10 == 3 {
                index.fail(0, of: name, "unreadable")
            } else if number != 0 {
                index.finish(0, of: name, Self.finding(missing: number % 10 == 7 ? 1 : 0), page: "\(number)")
            }
        }
        var (few, all, revision) = (ImageIndex(limit: 100), ImageIndex(), 0)
        for number in 0..<5000 {
            // One that comes again after 4000 others is another image.
            scan(number, "\(number % 4000).fits", &few)
            scan(number, "\(number).fits", &all)
            #expect(few.images.count <= (number <= 300 ? number + 1 : 125))
            if number == 300 { #expect(few.first == 0) }
        }
        #expect(few.first + few.images.count == 5000 && few.images.last?.file == "999.fits")
        for state in IndexedImage.State.allCases { #expect(few.count(of: state) == all.count(of: state)) }
        let facts = IndexUpdate.Facts(software: "s", began: "b", folder: "f", command: "c")
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
        var index = ImageIndex()
        for file in ["a", "b", "c", "d"] {
            index.know([(0, nil)], of: file)
            index.begin(0, of: file, page: "\(file).0")
        }
        #expect(index.images.map(\.page) == ["a.0", "b.0", "c.0", "d.0"])
        index.fail(0, of: "a", "unreadable")
        index.fail(file: "b", "unreadable")
        index.finish(0, of: "c", Self.finding(), page: nil)
        index.end("stopped")
        #expect(index.images.map(\.page) == [nil, nil, nil, nil])
    }

    @Test("a page of 2,000 images is small")
    func size() {
        var index = ImageIndex()
        for number in 0..<2000 {
            index.know([(0, nil)], of: "night/2026-01-02/image-\(number).fits.fz")
            index.finish(0, of: "night/2026-01-02/image-\(number).fits.fz", Self.finding(), page: "image-\(number).0")
        }
        index.end("")
        let facts = IndexUpdate.Facts(software: "s", began: "b", folder: "f", command: "c")
        #expect(IndexPage.report(index.snapshot(of: facts, at: 3)).count < 500_000)
    }

    @Test("a file that is left out has the reason, is none of the waiting ones, and does not make the job partial")
    func leftOut() {
        var index = ImageIndex()
        for file in ["a.fits", "dark.fits"] { index.add(file: file) }
        index.leaveOut(file: "dark.fits", "IMAGETYP is 'DARK'")
        #expect(index.images.map(\.state) == [.waiting, .leftOut] && index.images[1].reason == "IMAGETYP is 'DARK'")
        #expect(index.count(of: .leftOut) == 1 && index.now == "1 image waiting")
        index.keep(file: "a.fits")
        index.end("done")
        #expect(index.ending == .complete)
    }
}
