import CommandLineKit

/// The rate of a link as it is sold, such as 1 Gbit/s.
struct LinkRate: Equatable, Sendable, CustomStringConvertible {
    var bitsPerSecond: Double

    /// Bytes per second of what is sent. Of the 1538 bytes that an Ethernet frame takes of the cable, 1448 are TCP's, and
    /// TLS adds 22 to 16,384 of them.
    var bytesPerSecond: Double { bitsPerSecond / 8 * (1448 / 1538) * (16_384 / 16_406) }

    var description: String { HumanFormat.quantity(bitsPerSecond) + "bit/s" }

    private static let units: [Character: Double] = ["k": 1e3, "M": 1e6, "G": 1e9]

    /// A number of bits per second, with `k`, `M` or `G` behind it if need be.
    static let form = ValueForm<LinkRate>(
        placeholder: "RATE", expected: "a rate in bits per second from 1k to 1000G, as in 100M or 1G",
        parse: { text in
            let unit = text.last.flatMap { units[$0] }
            guard let number = Double(unit == nil ? text : String(text.dropLast())) else { return nil }
            let rate = number * (unit ?? 1)
            return (1e3...1e12).contains(rate) ? LinkRate(bitsPerSecond: rate) : nil
        }, show: { "\(plainText($0.bitsPerSecond))" })
}
