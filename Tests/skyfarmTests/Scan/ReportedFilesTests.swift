import Testing

@testable import ImageScanning

@Suite("files of a report") struct ReportedFilesTests {
    private func file(_ number: Int) -> ReportedFile {
        var file = ReportedFile(file: "\(number).fits")
        guard number % 10 != 3 else {
            file.errors = ["\(number).fits: cannot be read"]
            return file
        }
        file.images = [
            .init(
                image: file.file, hdu: 1, width: 10, height: 20, sources: number, removedByCleaning: 0, background: 1,
                noise: 1, maskedPixels: 0, bands: 1,
                missing: number % 10 == 7
                    ? [.init(step: "extraction", columns: [0, 9], rows: [0, 19], reason: "lost")] : [],
                warnings: [])
        ]
        file.outputs = ["\(number).csv"]
        return file
    }

    @Test("of a watch only the newest are kept, and the totals are those of all", arguments: [1, 7, 1000])
    func bounded(limit: Int) {
        var (few, all) = (ReportedFiles(limit: limit), ReportedFiles(limit: .max))
        for number in 0..<5000 {
            few.append(file(number))
            all.append(file(number))
            #expect(few.newest.count == min(limit, number + 1) && few.newest.last == file(number))
        }
        #expect(all.newest.count == 5000 && Array(few.newest) == all.newest.suffix(limit))
        for total: (ReportedFiles) -> Int in [\.count, \.written, \.done, \.images, \.sources, \.pixels] {
            #expect(total(few) == total(all))
        }
        #expect(all.written == 4500 && all.done == 4000 && all.images == 4500 && all.pixels == 900_000)
        #expect(all.sources == (0..<5000).filter { $0 % 10 != 3 }.reduce(0, +))
    }
}

@Suite("what a scan says at its end")
struct FoundSourcesTests {
    private func image(sources: Int, missing: Int = 0, masked: Int = 0) -> ReportedFile.Image {
        let sector = ReportedFile.Missing(step: "extraction", columns: [0, 9], rows: [0, 9], reason: "lost")
        return ReportedFile.Image(
            image: "a.fits", hdu: 0, width: 10, height: 100, sources: sources, removedByCleaning: 0, background: 0,
            noise: 1, maskedPixels: masked, bands: 9, missing: Array(repeating: sector, count: missing), warnings: [])
    }

    @Test(
        "an image is called empty only if no sector is missing",
        arguments: [
            (0, 0, "no sources found"), (1, 0, "1 source"), (7, 0, "7 sources"),
            (0, 3, "0 sources; 3 of 9 sectors missing"), (7, 1, "7 sources; 1 of 9 sectors missing"),
        ])
    func found(sources: Int, missing: Int, words: String) {
        #expect(image(sources: sources, missing: missing).found(rows: "source", sectors: 9) == words)
    }

    @Test(
        "an image without sources of which less than 5 % is not masked says so",
        arguments: [
            (0, 950, "no sources found"), (0, 951, "no sources found (only 49 of 1000 pixels unmasked)"),
            (0, 999, "no sources found (only 1 of 1000 pixels unmasked)"), (2, 999, "2 sources"),
        ])
    func masked(sources: Int, masked: Int, words: String) {
        #expect(image(sources: sources, masked: masked).found(rows: "source", sectors: 9) == words)
    }

    @Test("positions that were measured are no sources that were found")
    func positions() {
        #expect(image(sources: 0).found(rows: "position", sectors: 9) == "0 positions")
        #expect(image(sources: 2).found(rows: "position", sectors: 9) == "2 positions")
    }
}
