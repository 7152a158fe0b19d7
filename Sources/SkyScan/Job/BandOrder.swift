/// The order in which a step goes through all bands.
///
/// The second pass goes back, so that it begins with the bands whose pixels were read last and are still in memory.
enum BandOrder {
    case forth
    case back

    /// The band of the task at `index`, of `count` bands.
    func band(at index: Int, of count: Int) -> Int {
        switch self {
        case .forth: index
        case .back: count - 1 - index
        }
    }

    /// The band that follows `band`, of `count` bands; nil after the last one.
    func band(after band: Int, of count: Int) -> Int? {
        switch self {
        case .forth: band + 1 < count ? band + 1 : nil
        case .back: band > 0 ? band - 1 : nil
        }
    }
}
