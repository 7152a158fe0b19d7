import Foundation
import SkyCatalogue
import SkyFITS
import Testing

import SkyReport

@Suite struct ScanPageTests {
    /// A catalogue of `count` sources on a diagonal.
    static func table(_ count: Int) -> CatalogueTable {
        let line = (0..<count).map(Double.init)
        func column(_ name: String, _ values: [Double]) -> CatalogueTable.Column {
            .init(name, unit: "pix", description: "The \(name)", .double(values))
        }
        var columns = ["x", "y", "a", "b", "theta", "kron_radius", "fluxerr_auto", "peak", "flux_radius"].map {
            column($0, line)
        }
        columns.append(column("flux_auto", line.map { $0 == 1 ? .nan : $0 - 2 }))
        columns.append(column("ra", line.map { ($0 * 100).truncatingRemainder(dividingBy: 360) }))
        columns.append(column("dec", line.map { $0 == 1 ? .nan : -$0 / 1000 }))
        columns.append(.init("number", description: "Number", .int32((0..<Int32(count)).map { $0 + 1 })))
        columns.append(.init("npix", description: "Pixels", .int32(Array(repeating: 5, count: count))))
        for (name, bit) in [("flag", 1), ("flag_kron", 16), ("flag_auto", 32)] {
            columns.append(
                .init(name, description: name, .int16((0..<count).map { $0 % 2 == 0 ? Int16(bit) : 0 })))
        }
        return CatalogueTable(columns: columns, header: [HeaderEntry("THRESH", .real(1.5), comment: "Threshold")])
    }

    private static let preview = Preview(width: 2, height: 1, factor: 50, pixels: [1, 2])

    private static func bytes(
        _ image: String = "sky.fits", sources: Int = 5, missing: [String] = [], preview: Preview = preview
    ) throws -> [UInt8] {
        let hostile = "</script><script>alert(1)</script>"
        var live = LiveScan()
        live.preview = preview.scale
        live.timeline.join(hostile, slots: 1, at: 0)
        live.begin(step: "extraction", waiting: [PixelRect(x: 0..<100, y: 0..<40)], resumed: [], at: 0)
        live.start(task: 0, number: 1, on: hostile, cost: 1, at: 0)
        live.timeline.finish(task: 0, number: 1, seconds: 1, at: 1)
        live.end(.complete, "done", catalogue: CatalogueSummary(table(sources), missing: missing), at: 10)
        let scan = LiveUpdate.Scan(
            image: image, width: 100, height: 40, unit: "adu", software: "skyfarm 0", began: "2026-01-02T03:04:05Z",
            folder: "/tmp", command: "skyfarm scan sky.fits")
        return ScanPage.report(live.snapshot(of: scan, at: 10), preview: preview)
    }

    private func page(_ image: String = "sky.fits", sources: Int = 5) throws -> String {
        String(decoding: try Self.bytes(image, sources: sources), as: UTF8.self)
    }

    @Test("the page needs no other file and sends nothing anywhere")
    func selfContained() throws {
        let page = try page()
        #expect(page.hasPrefix("<!DOCTYPE html>") && page.hasSuffix("</html>\n"))
        #expect(page.contains("default-src 'none'"))
        #expect(!page.contains("{{"))
        // The name space of SVG is a name, not an address; Aladin is a link for the reader.
        let addresses = page.matches(of: /https?:\/\/[^"'? ]*/).map { String($0.output) }
        #expect(Set(addresses) == ["http://www.w3.org/2000/svg", "https://aladin.cds.unistra.fr/AladinLite/"])
        for word in ["fetch(", "XMLHttpRequest", "WebSocket", "EventSource", "import(", "@import", "url("] {
            #expect(!page.contains(word), "\(word)")
        }
    }

    @Test("untrusted names remain text")
    func hostileNames() throws {
        let page = try page("<img src=x onerror=alert(1)>.fits")
        #expect(!page.contains("<img src=x") && !page.contains("<script>alert"))
        #expect(page.contains("<title>&lt;img src=x onerror=alert(1)&gt;.fits · Skyfarm</title>"))
        #expect(page.matches(of: /<\/script>/).count == 2)
        let data = try data(of: page)
        #expect((data["scan"] as? [String: Any])?["image"] as? String == "<img src=x onerror=alert(1)>.fits")
    }

    @Test("the data hold what the page shows")
    func contentsOfData() throws {
        let data = try data(of: try page())
        let scan = try #require(data["scan"] as? [String: Any])
        #expect(data["v"] as? Int == 3 && scan["command"] as? String == "skyfarm scan sky.fits")
        #expect((data["attempts"] as? [Any])?.count == 1)
        #expect((data["preview"] as? [String: Any])?["factor"] as? Int == 50)
        let parameter = try #require((try catalogue(data)["parameters"] as? [[String: String]])?.first)
        #expect(parameter == ["key": "THRESH", "value": "1.5", "meaning": "Threshold"])
    }

    @Test("report and live page are one document; only the live page loads from its server")
    func live() throws {
        let live = String(decoding: ScanPage.live, as: UTF8.self)
        #expect(!live.contains("{{") && live.contains("src=\"page.js\"") && !live.contains("id=\"snapshot\""))
        func body(_ page: String) throws -> Substring {
            let start = try #require(page.range(of: "<body>")).lowerBound
            return page[start..<(try #require(page.range(of: "<img id=\"picture\"")).lowerBound)]
        }
        #expect(try body(live) == body(try page()))
    }

    @Test("all pages have one frame: head, header and what says that there is no script")
    func frame() throws {
        func frame(_ page: [UInt8]) throws -> [Substring] {
            let text = String(decoding: page, as: UTF8.self)
            #expect(!text.contains("{{") && text.matches(of: /<h1|<dl id="figures"|id="connection"/).count == 3)
            let end = try #require(text.range(of: "</noscript>")).upperBound
            let own = /<title>.*|<body.*|<a class="skip".*|.*All images.*/
            return text[..<end].split(separator: "\n").filter {
                $0.wholeMatch(of: own) == nil && !$0.contains("page.js")
            }
        }
        let frames = try [ScanPage.live, IndexPage.live, NodePage.live].map(frame)
        #expect(frames[0] == frames[1] && frames[1] == frames[2] && frames[0].count > 10)
    }

    private func catalogue(_ data: [String: Any]) throws -> [String: Any] {
        try #require((data["end"] as? [String: Any])?["catalogue"] as? [String: Any])
    }

    @Test("a scan without sources makes a page as well")
    func empty() throws {
        let data = try data(of: try page(sources: 0))
        #expect((try catalogue(data)["sources"] as? [String: Any])?["count"] as? Int == 0)
    }

    @Test("a hundred thousand sources and the largest picture, which noise makes incompressible, are below 15 MB")
    func size() throws {
        var state: UInt32 = 1
        let noise = (0..<1600 * 1600).map { _ in
            state = state &* 1_664_525 &+ 1_013_904_223
            return Float(state >> 16)
        }
        let bytes = try Self.bytes(
            sources: 100_000, preview: Preview(width: 1600, height: 1600, factor: 10, pixels: noise))
        #expect(bytes.count < 15_000_000, "\(bytes.count)")
    }

    private func data(of page: String) throws -> [String: Any] {
        let start = try #require(page.range(of: #"<script type="application/json" id="snapshot">"#)).upperBound
        let end = try #require(page.range(of: "</script>", range: start..<page.endIndex)).lowerBound
        let object = try JSONSerialization.jsonObject(with: Data(page[start..<end].utf8))
        return try #require(object as? [String: Any])
    }
}

@Suite struct SourcePackTests {
    /// The elements of a column, as a browser reads them.
    private func values<Element: FixedWidthInteger>(_ pack: SourcePack, _ name: String, _: Element.Type) throws
        -> [Element]
    {
        let column = try #require(pack.columns.first { $0.name == name })
        let bytes = try #require(Data(base64Encoded: pack.base64))
        let size = MemoryLayout<Element>.size
        #expect(column.offset % size == 0)
        return (0..<pack.count).map { index in
            bytes[(column.offset + index * size)...].prefix(size).reversed().reduce(0) { $0 << 8 | Element($1) }
        }
    }

    @Test("columns are aligned, and hold the catalogue's values")
    func columns() throws {
        let pack = SourcePack(ScanPageTests.table(5))
        #expect(pack.count == 5 && pack.total == 5)
        #expect(try values(pack, "x", UInt32.self).map { Float(bitPattern: $0) } == [0, 1, 2, 3, 4])
        let fluxes = try values(pack, "flux_auto", UInt32.self).map { Float(bitPattern: $0) }
        #expect(fluxes[1].isNaN && fluxes[4] == 2)
        #expect(try values(pack, "flags", UInt16.self) == [49, 0, 49, 0, 49])
        #expect(try values(pack, "number", UInt32.self) == [1, 2, 3, 4, 5])
    }

    @Test("coordinates are whole numbers of 1e-7 degrees, right ascension from 180")
    func coordinates() throws {
        let pack = SourcePack(ScanPageTests.table(4))
        let rightAscension = try values(pack, "ra", UInt32.self).map { Int32(bitPattern: $0) }
        #expect(rightAscension == [-1_800_000_000, -800_000_000, 200_000_000, 1_200_000_000])
        #expect(pack.columns.filter { $0.zero != 0 }.map(\.name) == ["ra"])
        let declination = try values(pack, "dec", UInt32.self).map { Int32(bitPattern: $0) }
        #expect(declination == [0, .min, -20_000, -30_000])
    }

    @Test("the flags of a source are described by the words of the catalogue, each bit once")
    func flags() throws {
        func column(_ name: String, _ description: String) -> CatalogueTable.Column {
            .init(name, description: description, .int16([0]))
        }
        let table = CatalogueTable(
            columns: [
                column("flag", "Bits: 1 deblended, 2 cut"), column("flag_kron", "Bits of the radius: 16 aperture cut"),
                column("flag_auto", "Bits of flux_auto: 16 aperture cut, 256 not measured"),
            ], header: [])
        let meaning = SourcePack(table).columns.last?.meaning
        #expect(
            meaning
                == "Bits of flag and flag_kron and flag_auto: 1 deblended, 2 cut, 16 aperture cut, 256 not measured")
    }

    @Test("of too many sources the brightest are kept, in the catalogue's order")
    func brightest() throws {
        let pack = SourcePack(ScanPageTests.table(6), limit: 3)
        #expect(pack.total == 6 && pack.count == 3)
        #expect(try values(pack, "number", UInt32.self) == [4, 5, 6])
    }
}
