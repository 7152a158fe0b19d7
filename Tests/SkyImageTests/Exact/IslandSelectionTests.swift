import Testing

import SkyExtraction
import SkyFITS

@Suite("selections of islands")
struct IslandSelectionTests {
    private let margin = IslandMargin(parameters: ScanParameters())

    @Test("a window selects an island if and only if it is complete there")
    func complete() {
        let image = PixelRect(x: 0..<9, y: 0..<20)
        for low in 0..<20 {
            for high in low + 1...20 {
                let window = PixelRect(x: 0..<9, y: low..<high)
                let selection = IslandSelection(
                    in: window, containing: (low..<high).map { (4, $0) }, margin: margin, image: image)
                for first in low..<high {
                    for end in first + 1...high {
                        let box = PixelRect(x: 3..<5, y: first..<end)
                        #expect(selection.contains(box) == margin.isComplete(box, in: window, of: image))
                    }
                }
            }
        }
    }

    @Test("a band selects complete islands that end in its core")
    func band() throws {
        let plan = try BandPlan(width: 100, height: 400, meshHeight: 64, requestedRows: 64)
        let selection = IslandSelection(
            of: plan[2], extracted: plan[2].extracted(margin), margin: margin, image: plan.image)
        #expect(selection.contains(PixelRect(x: 0..<9, y: 120..<150)))
        #expect(!selection.contains(PixelRect(x: 0..<9, y: 120..<128)), "it ends in the band before")
        #expect(!selection.contains(PixelRect(x: 0..<9, y: 66..<150)), "it is cut")
        #expect(!selection.contains(PixelRect(x: 0..<9, y: 180..<193)), "it ends in the next band")
    }

    @Test("a window selects islands whose boxes hold a pixel")
    func pixels() {
        let image = PixelRect(x: 0..<50, y: 0..<50)
        let selection = IslandSelection(in: image, containing: [(7, 9), (30, 40)], margin: margin, image: image)
        #expect(selection.contains(PixelRect(x: 7..<8, y: 9..<10)))
        #expect(!selection.contains(PixelRect(x: 8..<30, y: 9..<41)))
        #expect(!selection.holdsPixel(PixelRect(x: 8..<30, y: 9..<41)))
    }
}
