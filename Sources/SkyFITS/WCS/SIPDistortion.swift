/// The SIP polynomials of a header: A and B from pixels to the sky, AP and BP for the inverse.
///
/// As in astropy, a header has SIP polynomials if A_ORDER or B_ORDER is above 1; coefficients without an order are
/// ignored.
struct SIPDistortion {
    /// The cards of the polynomials in FITS format.
    let cards: [String]

    /// Maximum order supported by WCSLIB.
    private static let maximumOrder = 9

    /// Reads the polynomials from header values, the first value of each keyword; nil if there are none.
    /// - Throws: ``WCSUnavailable`` if the polynomials are unusable.
    init?(_ values: [String: HeaderCard.Value]) throws(WCSUnavailable) {
        guard let forward = try Self.cards(values, "A", "B") else { return nil }
        // WCSLIB starts its iteration from the sky to pixels with these polynomials.
        let backward = try? Self.cards(values, "AP", "BP")
        cards = forward + (backward ?? [])
    }

    private static func cards(
        _ values: [String: HeaderCard.Value], _ first: String, _ second: String
    ) throws(WCSUnavailable) -> [String]? {
        let orders = (try order(values, first), try order(values, second))
        guard max(orders.0 ?? 0, orders.1 ?? 0) > 1 else { return nil }
        guard let left = orders.0, let right = orders.1, min(left, right) > 1 else {
            throw WCSUnavailable(
                "of the SIP polynomials \(first) and \(second) only one has an order above 1")
        }
        return try cards(values, first, order: left) + cards(values, second, order: right)
    }

    private static func order(
        _ values: [String: HeaderCard.Value], _ name: String
    ) throws(WCSUnavailable) -> Int? {
        switch values["\(name)_ORDER"] {
        case nil: return nil
        case .number(let order, _) where order == order.rounded() && order <= Double(maximumOrder) && order >= 0:
            return Int(order)
        default:
            throw WCSUnavailable("the SIP order \(name)_ORDER is not a whole number from 0 to 9")
        }
    }

    private static func cards(
        _ values: [String: HeaderCard.Value], _ name: String, order: Int
    ) throws(WCSUnavailable) -> [String] {
        var cards = [WCSCards.card("\(name)_ORDER", "\(order)")]
        for first in 0...order {
            for second in 0...order - first {
                let key = "\(name)_\(first)_\(second)"
                switch values[key] {
                case nil: continue
                case .number(let coefficient, _): cards.append(WCSCards.card(key, "\(coefficient)"))
                default: throw WCSUnavailable("the SIP coefficient \(key) is not a number")
                }
            }
        }
        return cards
    }
}
