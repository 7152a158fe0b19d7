/// The order in which a step processes all bands.
///
/// The second pass runs backwards, so that it begins with the bands whose pixels were read last and are still in
/// memory.
package enum BandOrder {
    case forth
    case back

    /// The band of the task at `index`, of `count` bands.
    package func band(at index: Int, of count: Int) -> Int {
        switch self {
        case .forth: index
        case .back: count - 1 - index
        }
    }

    /// The bands that follow `band`, of `count` bands.
    package func bands(after band: Int, of count: Int) -> some RandomAccessCollection<Int> {
        // Each order is its own inverse: the index of a band is the band at that index.
        (self.band(at: band, of: count) + 1..<count).lazy.map { self.band(at: $0, of: count) }
    }
}
