import Foundation

/// The values of a Codable value as a tree, with which single leaves can be changed.
indirect enum CodedTree: Codable {
    case bool(Bool)
    case integer(Int)
    case number(Double)
    case text(String)
    case array([CodedTree])
    case object([String: CodedTree])
    case null

    // Numbers that JSON does not know.
    private static let names = (infinity: "+inf", negative: "-inf", nan: "nan")

    /// The tree of `value`.
    init(of value: some Encodable) throws {
        let encoder = JSONEncoder()
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: Self.names.infinity, negativeInfinity: Self.names.negative, nan: Self.names.nan)
        self = try JSONDecoder().decode(CodedTree.self, from: encoder.encode(value))
    }

    /// The value that the tree describes.
    /// - Throws: what decoding throws if there is none.
    func decoded<Value: Decodable>(as type: Value.Type) throws -> Value {
        let decoder = JSONDecoder()
        decoder.nonConformingFloatDecodingStrategy = .convertFromString(
            positiveInfinity: Self.names.infinity, negativeInfinity: Self.names.negative, nan: Self.names.nan)
        return try decoder.decode(type, from: JSONEncoder().encode(self))
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Int.self) {
            self = .integer(value)
        } else if let value = try? container.decode(Double.self) {
            self = .number(value)
        } else if let value = try? container.decode(String.self) {
            self = .text(value)
        } else if let value = try? container.decode([CodedTree].self) {
            self = .array(value)
        } else {
            self = .object(try container.decode([String: CodedTree].self))
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .bool(let value): try container.encode(value)
        case .integer(let value): try container.encode(value)
        case .number(let value) where value.isNaN: try container.encode(Self.names.nan)
        case .number(let value) where value.isInfinite:
            try container.encode(value > 0 ? Self.names.infinity : Self.names.negative)
        case .number(let value): try container.encode(value)
        case .text(let value): try container.encode(value)
        case .array(let value): try container.encode(value)
        case .object(let value): try container.encode(value)
        case .null: try container.encodeNil()
        }
    }
}

extension CodedTree {
    /// Changes one leaf or array, chosen by `random`: each member of an object is as likely, however much it holds.
    mutating func change(_ random: inout some RandomNumberGenerator) {
        switch self {
        case .bool(let value): self = .bool(!value)
        case .integer(let value): self = Self.changed(value, &random)
        case .number(let value): self = .number(Self.changed(value, &random))
        case .text: self = .text(Self.words[Self.below(Self.words.count, &random)])
        case .array(var values):
            if values.isEmpty || Self.below(2, &random) == 0 {
                Self.changeLength(of: &values, &random)
            } else {
                values[Self.below(values.count, &random)].change(&random)
            }
            self = .array(values)
        case .object(var members):
            let names = members.keys.sorted()
            if names.isEmpty { return }
            members[names[Self.below(names.count, &random)]]?.change(&random)
            self = .object(members)
        case .null: break
        }
    }

    // Raw values of the parameters' enumerations.
    private static let words = ["conv", "matched", "none", "global", "map", "weights", ""]

    static func below(_ bound: Int, _ random: inout some RandomNumberGenerator) -> Int {
        Int(random.next() % UInt64(bound))
    }

    private static func changed(_ value: Int, _ random: inout some RandomNumberGenerator) -> CodedTree {
        switch below(12, &random) {
        case 0: .integer(value &+ 1)
        case 1: .integer(value &- 1)
        case 2: .integer(value &* 2)
        case 3: .integer(0 &- value)
        case 4: .integer(0)
        case 5: .integer(1)
        case 6: .integer(value / 2)
        case 7: .integer([.max, .min, Int(Int32.max), Int(Int32.min), 1 << 16, 1 << 20][below(6, &random)])
        // What looks like an integer may be a floating-point number.
        default: .number(changed(Double(value), &random))
        }
    }

    /// Of the kinds of values that arithmetic treats differently.
    static func changed(_ value: Double, _ random: inout some RandomNumberGenerator) -> Double {
        let odd = [
            0, -0.0, 1e-45, -1e-45, 1e-38, -1e-38, 1e-9, 1, -1, 1e10, 1e30, -1e30, -1.01e30, 2.4e30, -2.4e30,
            3.4e38, -3.4e38, 1e300, -1e300, .infinity, -.infinity, .nan,
        ]
        switch below(8, &random) {
        case 0: return -value
        case 1: return value * 2
        case 2: return value * 1e-6
        case 3: return value * 1e6
        case 4: return Double(Float(value).nextUp)
        default: return odd[below(odd.count, &random)]
        }
    }

    private static func changeLength(of values: inout [CodedTree], _ random: inout some RandomNumberGenerator) {
        switch below(6, &random) {
        case 0: values.removeAll()
        case 1: values = Array(values.prefix(values.count / 2))
        case 2: values += values
        case 3: if !values.isEmpty { values.removeLast() }
        case 4: if let first = values.first { values.append(first) }
        default:
            // All entries become the same odd one.
            if values.isEmpty { return }
            var entry = values[below(values.count, &random)]
            entry.change(&random)
            values = values.map { _ in entry }
        }
    }
}
