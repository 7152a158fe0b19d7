import Testing

import SkyScan

@Suite("order of bands")
struct BandOrderTests {
    @Test("each order names every band once, each followed by the next", arguments: [BandOrder.forth, .back])
    func follows(_ order: BandOrder) {
        let bands = (0..<7).map { order.band(at: $0, of: 7) }
        #expect(bands == (order == .forth ? Array(0..<7) : (0..<7).reversed()))
        for (place, band) in bands.enumerated() {
            #expect(Array(order.bands(after: band, of: 7)) == Array(bands[(place + 1)...]))
        }
    }
}
