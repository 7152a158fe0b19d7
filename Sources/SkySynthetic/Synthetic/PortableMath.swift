/// Elementary functions built only from correctly rounded operations, so that every machine computes the same bits: the
/// system's own functions differ in the last bit. Relative errors are below 1e-13.
package enum PortableMath {
    /// Returns e to the power of `x`: reduces the argument to at most ln 2 / 2 in magnitude and sums the Taylor series.
    package static func exp(_ x: Double) -> Double {
        if x < -700 { return 0 }
        let quotient = (x * 1.4426950408889634).rounded()
        // ln 2 is split into two parts, so that the product with a small integer is exact.
        let rest = (x - quotient * 0.6931471803691238) - quotient * 1.9082149292705877e-10
        var sum = 1.0
        for divisor in stride(from: 13.0, through: 1, by: -1) { sum = 1 + rest * sum / divisor }
        return Double(sign: .plus, exponent: Int(quotient), significand: sum)
    }

    /// Returns the natural logarithm of a positive number: the series of 2 artanh((m - 1) / (m + 1)) of its significand
    /// m.
    package static func log(_ x: Double) -> Double {
        var exponent = Double(x.exponent)
        var significand = x.significand
        if significand > 1.4142135623730951 {
            significand /= 2
            exponent += 1
        }
        let ratio = (significand - 1) / (significand + 1)
        let square = ratio * ratio
        // The quotients are constants, which a loop would compute each time.
        var sum = 1 / 17.0
        sum = sum * square + 1 / 15.0
        sum = sum * square + 1 / 13.0
        sum = sum * square + 1 / 11.0
        sum = sum * square + 1 / 9.0
        sum = sum * square + 1 / 7.0
        sum = sum * square + 1 / 5.0
        sum = sum * square + 1 / 3.0
        sum = sum * square + 1
        return exponent * 0.6931471805599453 + 2 * ratio * sum
    }

    /// Returns 10 to the power of `x`.
    package static func exp10(_ x: Double) -> Double { exp(x * 2.302585092994046) }

    /// Returns the logarithm to the base 10.
    package static func log10(_ x: Double) -> Double { log(x) / 2.302585092994046 }
}
