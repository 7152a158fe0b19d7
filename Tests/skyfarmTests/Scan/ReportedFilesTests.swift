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
                image: file.file, hdu: 1, width: 10, height: 20, sources: number, background: 1, noise: 1,
                maskedPixels: 0, missing: number % 10 == 7 ? 1 : 0)
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
