import ScanBasics
import Testing

import SkyExtraction
import SkyFITS

@Suite("owners of pixels")
struct OwnerRunsTests {
    @Test("every pixel has the owner that was painted last, whatever the order of the runs")
    func painted() {
        var random = SplitMix64(seed: 11)
        for _ in 0..<200 {
            let rect = PixelRect(x: 40..<40 + Int.random(in: 1...30, using: &random), y: 7..<13)
            var window = MeasurementWindow(
                rect: rect, of: [], SourceTable(), ceilings: [], SegmentRows(PixelRuns(), height: 13),
                isOfOtherImage: false)
            var numbers: [Int32] = []
            var line = [Int32?](repeating: nil, count: rect.area)
            for number in 1...Int32.random(in: 1...40, using: &random) {
                let (row, column) = (Int.random(in: rect.y, using: &random), Int.random(in: rect.x, using: &random))
                let length = Int.random(in: 1...min(4, rect.x.upperBound - column), using: &random)
                window.row.append(Int32(row))
                window.column.append(Int32(column))
                window.length.append(Int32(length))
                numbers.append(number % 5 == 0 ? -2 : number)
                for x in column..<column + length {
                    line[(row - 7) * rect.width + x - 40] = number % 5 == 0 ? -2 : number
                }
            }
            let runs = OwnerRuns(window, numbers: numbers, in: rect)
            for place in line.indices {
                #expect(runs.number(row: place / rect.width, column: place % rect.width) == line[place])
            }
        }
    }
}
