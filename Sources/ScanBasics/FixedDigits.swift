private import CSkyfarm

extension Double {
    /// The number in decimal, without an exponent and with `digits` digits after the point, at least 0, as printf's `%.*f`.
    package func fixed(_ digits: Int) -> String {
        precondition(digits >= 0, "a negative number of digits")
        // The largest number has 309 digits, and there are a sign, the point and the terminating NUL.
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 312 + digits) { text in
            let count = skyfarm_fixed_digits(self, Int32(digits), text.baseAddress, text.count)
            return String(decoding: UnsafeRawBufferPointer(text).prefix(Int(count)), as: UTF8.self)
        }
    }
}
