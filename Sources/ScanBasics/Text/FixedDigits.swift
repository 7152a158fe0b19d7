private import CSystem

extension Double {
    /// Formats the number in decimal without an exponent and with `digits` digits after the point, at least 0, like
    /// printf's `%.*f`.
    package func fixed(_ digits: Int) -> String {
        precondition(digits >= 0, "a negative number of digits")
        // The largest number has 309 digits; add a sign, the point and the terminating NUL.
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 312 + digits) { text in
            let count = skyfarm_fixed_digits(self, Int32(digits), text.baseAddress, text.count)
            return String(decoding: UnsafeRawBufferPointer(text).prefix(Int(count)), as: UTF8.self)
        }
    }
}

extension Double {
    /// Formats the number with a printf format for one number, such as `%11.4f`, independent of the locale.
    package func formatted(as format: String) -> String {
        var text = [CChar](repeating: 0, count: 512)
        let count = Int(skyfarm_format_number(format, self, &text, text.count))
        if count >= text.count {
            text = [CChar](repeating: 0, count: count + 1)
            _ = skyfarm_format_number(format, self, &text, text.count)
        }
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}

/// Runs `body` in the "C" locale, for libraries that read or write numbers.
package func inCLocale<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
    let before = skyfarm_enter_c_locale()
    defer { skyfarm_leave_c_locale(before) }
    return try body()
}
