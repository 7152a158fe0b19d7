import ScanCluster
import ScanNetwork

/// A value of every form that the coding knows.
private struct Everything: Codable {
    indirect enum Tree: Codable {
        case leaf(Int)
        case branch(Tree, Tree)
        case named(text: String, children: [Tree])
    }
    struct Inner: Codable {
        var text = "text"
        var some: Double? = 0.5
        var none: Bool?
    }

    var truth = true
    var numbers: [Int] = [1, -2, 300_000]
    var small: [Int16] = [1, 2]
    var middle: [Int32] = [1, 2]
    var floats: [Float] = [1, 2.5]
    var doubles: [Double] = [1, 2.5]
    var bytes: [UInt8] = [1, 2, 3]
    var words: [String] = ["a", "b"]
    var widths: [UInt64] = [0, .max]
    var names: [String: Int] = ["one": 1, "two": 2]
    var places: [Int: [Inner]] = [3: [Inner()]]
    var range = 1..<4
    var closed: ClosedRange<UInt16> = 1...2
    var set: Set<Int> = [5]
    var tree = Tree.branch(.leaf(1), .named(text: "n", children: [.leaf(2)]))
    var nested: [[[Inner?]]] = [[[Inner(), nil]]]
    var last: UInt8? = 3
}

extension FuzzTarget {
    /// The decoder of Codable values, for several types. What it accepts has a coded form from which the same comes.
    static let coding = FuzzTarget(name: "coding") { bytes in
        var input = FuzzInput(bytes)
        switch input.byte() % 6 {
        case 0: repeatDecoding(Everything.self, input.rest)
        case 1: repeatDecoding(Everything.Tree.self, input.rest)
        case 2: repeatDecoding(NodeInfo.self, input.rest)
        case 3: repeatDecoding(CoordinatorInfo.self, input.rest)
        case 4: repeatDecoding([String: [Int?]].self, input.rest)
        default: repeatDecoding(String.self, input.rest)
        }
    } seeds: {
        let node = NodeInfo(
            identity: SystemID(high: 1, low: 2), name: "alpha", slots: 4, queueLimit: 16, taskTypes: ["a/1"],
            frameLimit: 4096)
        return [
            "everything": try WireEncoder().encode(Everything()).chosen(0),
            "tree": try WireEncoder().encode(Everything().tree).chosen(1),
            "node": try WireEncoder().encode(node).chosen(2),
            "coordinator": try WireEncoder().encode(CoordinatorInfo(name: "desk", frameLimit: 4096)).chosen(3),
            "dictionary": try WireEncoder().encode(["a": [1, nil], "b": []]).chosen(4),
            "string": try WireEncoder().encode("text").chosen(5),
        ]
    }

    private static func repeatDecoding<Value: Codable>(_ type: Value.Type, _ bytes: UnsafeRawBufferPointer) {
        guard let value = try? WireDecoder().decode(type, from: bytes),
            let coded = try? WireEncoder().encode(value)
        else { return }
        guard let again = try? WireDecoder().decode(type, from: coded) else {
            preconditionFailure("what was encoded cannot be decoded")
        }
        // The order of a set or dictionary may change.
        precondition((try? WireEncoder().encode(again))?.count == coded.count)
    }
}
