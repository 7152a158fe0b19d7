package import CommandLineKit
import Foundation
import ScanBasics

extension ValueForm where Value == Duration {
    /// Parses a number followed by `s`, `m` or `h`.
    package static var duration: ValueForm {
        ValueForm(
            placeholder: "TIME", expected: "a time, as in 90s, 10m or 2h",
            parse: { text in
                let units: [Character: Double] = ["s": 1, "m": 60, "h": 3600]
                guard let unit = text.last.flatMap({ units[$0] }), let number = Double(text.dropLast()),
                    (0...1e6).contains(number)
                else { return nil }
                return .seconds(number * unit)
            }, show: { "\(plainText($0 / .seconds(1)))s" })
    }
}

extension ValueForm where Value == Int {
    /// Parses a number of slots, or a percentage of the processors.
    package static var slots: ValueForm {
        ValueForm(
            placeholder: "N|N%",
            expected: "a whole number from 1 to 1024, or a percentage of the processors, as in 50%",
            parse: { text in
                if !text.hasSuffix("%") { return Int(text).flatMap { (1...1024).contains($0) ? $0 : nil } }
                return percentage(text, of: ProcessInfo.processInfo.activeProcessorCount)
            }, show: { String($0) })
    }

    /// Parses a size in bytes such as `8G`, or a percentage of the memory.
    package static var bytes: ValueForm {
        ValueForm(
            placeholder: "SIZE|N%", expected: "at least 64M: a size, as in 512M or 8G, or a percentage of the memory",
            parse: { text in
                let units: [Character: Int] = ["M": 1 << 20, "G": 1 << 30, "T": 1 << 40]
                let bytes =
                    text.hasSuffix("%")
                    ? percentage(text, of: Int(ProcessInfo.processInfo.physicalMemory))
                    : text.last.flatMap { units[$0] }.flatMap { unit in
                        Double(text.dropLast()).flatMap { (0...1e6).contains($0) ? Int($0 * Double(unit)) : nil }
                    }
                return bytes.flatMap { $0 >= 64 << 20 ? $0 : nil }
            }, show: { "\($0 >> 20)M" })
    }

    /// Returns a percentage of `whole`, at least 1, or nil unless the text is a number above 0 and up to 100, followed
    /// by `%`.
    private static func percentage(_ text: String, of whole: Int) -> Int? {
        guard let number = Double(text.dropLast()), number > 0, number <= 100 else { return nil }
        return max(1, Int(Double(whole) * number / 100))
    }
}
