package import CommandLineKit
import Console

/// Nominal rate of a link, such as 1 Gbit/s.
package struct LinkRate: Equatable, Sendable, CustomStringConvertible {
    package var bitsPerSecond: Double

    package init(bitsPerSecond: Double) {
        self.bitsPerSecond = bitsPerSecond
    }

    /// Payload bytes per second. TCP payload takes 1448 of the 1538 bytes of an Ethernet frame, and TLS adds 22 bytes
    /// to every 16,384.
    var bytesPerSecond: Double { bitsPerSecond / 8 * (1448 / 1538) * (16_384 / 16_406) }

    package var description: String { HumanFormat.quantity(bitsPerSecond) + "bit/s" }

    private static let units: [Character: Double] = ["k": 1e3, "M": 1e6, "G": 1e9]

    /// Parses a rate in bits per second, with an optional suffix `k`, `M` or `G`.
    package static let form = ValueForm<LinkRate>(
        placeholder: "RATE", expected: "a rate in bits per second from 1k to 1000G, as in 100M or 1G",
        parse: { text in
            let unit = text.last.flatMap { units[$0] }
            guard let number = Double(unit == nil ? text : String(text.dropLast())) else { return nil }
            let rate = number * (unit ?? 1)
            return (1e3...1e12).contains(rate) ? LinkRate(bitsPerSecond: rate) : nil
        }, show: { "\(plainText($0.bitsPerSecond))" })
}
