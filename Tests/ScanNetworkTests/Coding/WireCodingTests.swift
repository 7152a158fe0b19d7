import ScanBasics
import ScanCluster
import ScanNetwork
import ScanTestSupport
import Testing

@Suite("The binary coder")
struct WireCodingTests {
    func roundTrip<Value: Codable & Equatable>(_ value: Value, _ location: SourceLocation = #_sourceLocation) throws {
        let bytes = try WireEncoder().encode(value)
        #expect(try WireDecoder().decode(Value.self, from: bytes) == value, sourceLocation: location)
    }

    struct Inner: Codable, Equatable {
        var name: String
        var values: [Double]
        var next: [Inner]
    }
    enum Shape: Codable, Equatable {
        case empty
        case circle(radius: Float)
        case polygon([Inner], closed: Bool?)
        indirect case group(Shape, Shape)
    }
    enum Filter: String, Codable { case conv, matched }
    struct Empty: Codable, Equatable {}
    struct Everything: Codable, Equatable {
        var bool = true
        var int = Int.min
        var int8 = Int8.min
        var int16 = Int16.max
        var int32 = Int32.min
        var int64 = Int64.max
        var uint = UInt.max
        var uint8 = UInt8.max
        var uint16 = UInt16.max
        var uint32 = UInt32.max
        var uint64 = UInt64.max
        var float = -Float.greatestFiniteMagnitude
        var double = Double.leastNonzeroMagnitude
        var string = "naïve ☄️ \u{0}"
        var some: Int? = 3
        var none: Int?
        var optionals: [Int?] = [1, nil, 3]
        var nested: [String: [Int: Inner]] = ["a": [-1: Inner(name: "x", values: [1, .infinity], next: [])]]
        var pairs: [Filter: Set<Int32>] = [.matched: [1, 2]]
        var shapes: [Shape] = [
            .empty, .circle(radius: 2),
            .group(.polygon([Inner(name: "", values: [], next: [])], closed: nil), .polygon([], closed: false)),
        ]
        var filter = Filter.conv
        var bytes: [UInt8] = [0, 255]
        var int16s: [Int16] = [.min, -1, .max]
        var int32s: [Int32] = [.min, 7]
        var int64s: [Int64] = [.max]
        var ints: [Int] = [.min, 0, .max]
        var floats: [Float] = [0.1, -0.0]
        var doubles: [Double] = [.pi]
        var strings = ["", "a", "ab"]
        var range = 3..<9
        var empty = Empty()
        var deep: [[[Bool]]] = [[[true], []], []]
    }

    @Test("gives back every shape that synthesized code encodes")
    func shapes() throws {
        try roundTrip(Everything())
        try roundTrip(Empty())
        try roundTrip([Everything(), Everything()])
        try roundTrip(Optional<Int>.none)
        try roundTrip(Optional(5))
        try roundTrip("text")
        try roundTrip([[UInt8]](repeating: [1, 2, 3], count: 10))
        try roundTrip([String: Int]())
    }

    @Test("gives back a task's response, with its output or its failure")
    func taskResponse() throws {
        let failure = TaskFailure(message: "no", system: "alpha", attempt: 3, log: ["alpha: a line"])
        for result in [.success(5), .failure(failure)] as [Result<Int, TaskFailure>] {
            let response = TaskResponse<SumTask>(id: 7, result: result, system: "alpha", attempt: 3, seconds: 0.25)
            let coded = try WireEncoder().encode(response)
            let other = try WireDecoder().decode(TaskResponse<SumTask>.self, from: coded)
            #expect(other.id == 7 && other.result == result && other.system == "alpha")
            #expect(other.attempt == 3 && other.seconds == 0.25)
            #expect(coded.count < 110)
        }
    }

    @Test("keeps all bits of numbers that are no numbers")
    func notANumber() throws {
        let values = [Double(nan: 0x1234, signaling: false), -.nan, .signalingNaN]
        let decoded = try WireDecoder().decode([Double].self, from: try WireEncoder().encode(values))
        #expect(decoded.map(\.bitPattern) == values.map(\.bitPattern))
        let single = Float(bitPattern: 0xffc1_2345)
        #expect(try WireDecoder().decode(Float.self, from: try WireEncoder().encode(single)).bitPattern == 0xffc1_2345)
    }

    @Test("encodes arrays of numbers as their bytes")
    func compactArrays() throws {
        #expect(try WireEncoder().encode([Float](repeating: 1, count: 1000)).count < 4012)
        #expect(try WireEncoder().encode([Int](repeating: 1, count: 1000)).count < 8012)
    }

    @Test("names a key once, however often it is used")
    func keysOnce() throws {
        let one = try WireEncoder().encode([Inner(name: "", values: [], next: [])]).count
        let two = try WireEncoder().encode((0..<2).map { _ in Inner(name: "", values: [], next: []) }).count
        #expect(two - one < 20)
    }

    @Test("has many keys in one value")
    func manyKeys() throws {
        try roundTrip(Dictionary(uniqueKeysWithValues: (0..<500).map { ("key \($0)", $0) }))
    }

    struct Manual: Codable, Equatable {
        var first = 1
        var second: String? = "2"
        var third: [Int] = [3]
        enum CodingKeys: CodingKey { case first, second, third, nested, list }
        init() {}
        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            // Not in the order of encoding, and in every way of decoding.
            third = try container.decode([Int].self, forKey: .third)
            second = try container.decodeNil(forKey: .second) ? nil : container.decode(String.self, forKey: .second)
            first = container.contains(.first) ? try container.decode(Int.self, forKey: .first) : 0
            let nested = try container.nestedContainer(keyedBy: CodingKeys.self, forKey: .nested)
            var list = try container.nestedUnkeyedContainer(forKey: .list)
            guard list.count == 4 else { throw WireError("count") }
            guard try !list.decodeNil(), try list.decode(Bool.self), try list.decodeNil() else {
                throw WireError("list")
            }
            var inner = try list.nestedUnkeyedContainer()
            guard try inner.decode(Int8.self) == -8 else { throw WireError("inner") }
            if !inner.isAtEnd { throw WireError("inner") }
            let keyed = try list.nestedContainer(keyedBy: CodingKeys.self)
            #expect(try keyed.decode(UInt.self, forKey: .first) == 9)
            if !list.isAtEnd || list.currentIndex != 4 { throw WireError("index") }
            #expect(try nested.decode(Double.self, forKey: .first) == 1.5)
            #expect(nested.allKeys.count == 1)
            #expect(try String(from: container.superDecoder()) == "base")
        }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(first, forKey: .first)
            try container.encode(second, forKey: .second)
            try container.encode(third, forKey: .third)
            var nested = container.nestedContainer(keyedBy: CodingKeys.self, forKey: .nested)
            try nested.encode(1.5, forKey: .first)
            var list = container.nestedUnkeyedContainer(forKey: .list)
            try list.encode(true)
            try list.encodeNil()
            var inner = list.nestedUnkeyedContainer()
            try inner.encode(Int8(-8))
            var keyed = list.nestedContainer(keyedBy: CodingKeys.self)
            try keyed.encode(UInt(9), forKey: .first)
            try "base".encode(to: container.superEncoder())
        }
    }

    @Test("serves hand-written coding in any order")
    func handWritten() throws {
        try roundTrip(Manual())
        var none = Manual()
        none.second = nil
        try roundTrip(none)
    }

    struct Interleaved: Encodable {
        func encode(to encoder: any Encoder) throws {
            var container = encoder.unkeyedContainer()
            var first = container.nestedUnkeyedContainer()
            var second = container.nestedUnkeyedContainer()
            try second.encode(1)
            try first.encode(2)
        }
    }

    @Test("refuses to encode into a container that was left")
    func interleaved() {
        #expect(throws: WireError.self) { try WireEncoder().encode(Interleaved()) }
    }

    @Test("refuses numbers that do not fit")
    func overflow() throws {
        let bytes = try WireEncoder().encode(300)
        #expect(throws: WireError.self) { try WireDecoder().decode(UInt8.self, from: bytes) }
        let negative = try WireEncoder().encode(-1)
        #expect(throws: WireError.self) { try WireDecoder().decode(UInt64.self, from: negative) }
        let huge = try WireEncoder().encode(UInt64.max)
        #expect(throws: WireError.self) { try WireDecoder().decode(Int.self, from: huge) }
    }

    @Test("refuses another type than was encoded")
    func otherType() throws {
        let bytes = try WireEncoder().encode("text")
        #expect(throws: WireError.self) { try WireDecoder().decode(Int.self, from: bytes) }
        #expect(throws: WireError.self) { try WireDecoder().decode(Bool.self, from: bytes) }
        #expect(throws: WireError.self) { try WireDecoder().decode(Float.self, from: bytes) }
        #expect(throws: WireError.self) { try WireDecoder().decode(Double.self, from: bytes) }
        #expect(throws: WireError.self) { try WireDecoder().decode([Double].self, from: bytes) }
        #expect(throws: WireError.self) { try WireDecoder().decode([Bool].self, from: bytes) }
        #expect(throws: WireError.self) { try WireDecoder().decode(Inner.self, from: bytes) }
        #expect(throws: WireError.self) { try WireDecoder().decode(String.self, from: try WireEncoder().encode(1)) }
    }

    @Test("refuses a value with something after it")
    func trailing() throws {
        #expect(throws: WireError.self) {
            try WireDecoder().decode(Everything.self, from: try WireEncoder().encode(Everything()) + [0])
        }
        // A body of two values: null, null; no keys.
        #expect(throws: WireError.self) { try WireDecoder().decode(Int?.self, from: [1, 2, 0, 0, 0, 0, 0, 0]) }
    }

    @Test("refuses containers nested without end")
    func depth() {
        // An array in an array, ten thousand times, each with the right length.
        var body: [UInt8] = []
        for _ in 0..<10_000 {
            let count = UInt32(body.count)
            body = [9] + (0..<4).map { UInt8(truncatingIfNeeded: count >> (8 * $0)) } + body
        }
        let count = UInt32(body.count)
        let message = [1] + (0..<4).map { UInt8(truncatingIfNeeded: count >> (8 * $0)) } + body + [0]
        struct Nest: Decodable {
            init(from decoder: any Decoder) throws {
                var container = try decoder.unkeyedContainer()
                while !container.isAtEnd { _ = try container.decode(Nest.self) }
            }
        }
        #expect(throws: WireError.self) { try WireDecoder().decode(Nest.self, from: message) }
    }

    @Test("never traps on a message cut short, and never accepts it")
    func truncated() throws {
        let bytes = try WireEncoder().encode(Everything())
        for count in 0..<bytes.count {
            #expect(throws: (any Error).self) {
                try WireDecoder().decode(Everything.self, from: Array(bytes[..<count]))
            }
        }
    }

    @Test("never traps on a message with changed bytes", arguments: 0..<8)
    func mutated(seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        let original = try WireEncoder().encode(Everything())
        for _ in 0..<2000 {
            var bytes = original
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                bytes[Int.random(in: bytes.indices, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
            }
            // Either outcome is right; a value that comes out can be encoded again.
            if let value = try? WireDecoder().decode(Everything.self, from: bytes) {
                _ = try WireEncoder().encode(value)
            }
        }
    }

    @Test("never traps on noise", arguments: 0..<4)
    func noise(seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        for _ in 0..<2000 {
            let count = Int.random(in: 0...64, using: &generator)
            var bytes = (0..<count).map { _ in UInt8.random(in: 0...20, using: &generator) }
            if count > 5 { bytes.replaceSubrange(0..<5, with: [1, UInt8(count - 6), 0, 0, 0]) }
            _ = try? WireDecoder().decode(Shape.self, from: bytes)
            _ = try? WireDecoder().decode([Int?].self, from: bytes)
        }
    }

    @Test("gives back random values", arguments: 0..<20)
    func random(seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        func inner(_ depth: Int) -> Inner {
            Inner(
                name: String(
                    (0..<Int.random(in: 0...20, using: &generator)).map { _ in "aé☄️z".randomElement() ?? "a" }),
                values: (0..<Int.random(in: 0...9, using: &generator)).map { _ in
                    Double.random(in: -1e300...1e300, using: &generator)
                },
                next: depth == 0 ? [] : (0..<Int.random(in: 0...3, using: &generator)).map { _ in inner(depth - 1) })
        }
        for _ in 0..<50 { try roundTrip(inner(4)) }
        for _ in 0..<200 { try roundTrip(Int64(bitPattern: generator.next() >> (generator.next() & 63))) }
        for _ in 0..<200 { try roundTrip(generator.next() >> (generator.next() & 63)) }
    }

    @Test("is as documented, byte by byte")
    func bytes() throws {
        struct Point: Codable {
            var x: Int
            var y: Double?
        }
        let expected: [UInt8] = [
            1, 18, 0, 0, 0,  // version, length of the body
            8, 13, 0, 0, 0,  // keyed, 13 bytes
            0, 3, 5,  // x: signed -3
            1, 6, 0, 0, 0, 0, 0, 0, 0xf8, 0x3f,  // y: double 1.5
            2, 1, 0x78, 1, 0x79,  // two keys, x and y
        ]
        #expect(try WireEncoder().encode(Point(x: -3, y: 1.5)) == expected)
    }
}
