import Foundation
import ScanCluster
import ScanNetwork
import Testing
import ScanCompression

@Suite("Docs/Protocol.md")
struct ProtocolDocumentTests {
    /// The examples of the document by their names: the hexadecimal bytes of each code block marked `hex NAME`.
    static func examples() throws -> [String: [UInt8]] {
        let path = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../Docs/Protocol.md").standardized
        var examples: [String: [UInt8]] = [:]
        var name: String?
        for line in try String(contentsOf: path, encoding: .utf8).split(separator: "\n") {
            if line.hasPrefix("```") {
                name = line.hasPrefix("```hex ") ? String(line.dropFirst(7)) : nil
            } else if let name {
                let digits = line.prefix { $0 != "|" }.split(separator: " ")
                examples[name, default: []] += digits.compactMap { UInt8($0, radix: 16) }
            }
        }
        return examples
    }

    struct Greeting: ScanTask {
        static let typeName = "doc.greet/1"
        var id: Int
        var name: String
        func scan(_ context: ScanContext) throws -> String { "hello \(name)" }
    }

    static func frame(_ body: (inout ByteWriter) -> Void) -> [UInt8] {
        var writer = ByteWriter()
        body(&writer)
        return Array(writer.bytes)
    }

    /// The bytes that the code writes for each example.
    static func expected() throws -> [String: [UInt8]] {
        let greeting = try ClientHandshake().greeting(
            CoordinatorInfo(name: "desk", software: "0.1.0", frameLimit: 1 << 20))
        var node = NodeInfo(
            identity: SystemID(high: 1, low: 2), name: "alpha", slots: 4, queueLimit: 16, software: "0.1.0",
            taskTypes: ["doc.greet/1"], frameLimit: 1 << 20)
        node.arithmetic = Arithmetic(fingerprint: "1f0c8e2d", libraries: "SEP 1.2.1")
        let task = try WireEncoder().encode(Greeting(id: 7, name: "sky"))
        let output = try WireEncoder().encode("hello sky")
        let bulk = BulkBytes(byteCount: 4) { $0.copyBytes(from: [1, 2, 3, 4]) }
        return [
            "greeting": greeting,
            "welcome": Hello(.welcome, versions: Hello.versions, body: try WireEncoder().encode(node)).encoded,
            "refusal-of-a-connection": Hello(
                .refusal, versions: 2...3, refusal: .otherVersion, body: Array("too old".utf8)
            ).encoded,
            "value": task,
            "task": frame { writer in
                task.withUnsafeBytes {
                    writer.putTask(
                        request: 5, attempt: 1, typeName: Greeting.typeName, task: $0, key: BulkKey(job: 9, index: 3),
                        bulk: bulk)
                }
                bulk.withUnsafeBytes { writer.put(raw: $0) }
            },
            "task-with-reference": frame { writer in
                task.withUnsafeBytes {
                    writer.putTask(
                        request: 6, attempt: 1, typeName: Greeting.typeName, task: $0, key: BulkKey(job: 9, index: 3),
                        bulk: bulk,
                        reference: BulkReference(origin: Array("where".utf8), part: Array("which".utf8)))
                }
            },
            "task-with-packed-bytes": frame { writer in
                let packed = BulkBytes(byteCount: 2, unpackedCount: 4) { $0.copyBytes(from: [9, 8]) }
                task.withUnsafeBytes {
                    writer.putTask(
                        request: 7, attempt: 1, typeName: Greeting.typeName, task: $0, key: BulkKey(job: 9, index: 3),
                        bulk: packed)
                }
                packed.withUnsafeBytes { writer.put(raw: $0) }
            },
            "task-with-compressed-bytes": frame { writer in
                // One block, which is not shorter compressed.
                let compressed = BulkBytes(compressedCount: 12, unpackedCount: 4) {
                    $0.copyBytes(from: [4, 0, 0, 0, 4, 0, 0, 0, 1, 2, 3, 4])
                }
                task.withUnsafeBytes {
                    writer.putTask(
                        request: 8, attempt: 1, typeName: Greeting.typeName, task: $0, key: BulkKey(job: 9, index: 3),
                        bulk: compressed)
                }
                compressed.withUnsafeBytes { writer.put(raw: $0) }
            },
            "task-with-scaled-integers": frame { writer in
                let floats: [Float] = (0..<128).map { 10 + Float($0 & 3) / 4 }
                let plain = BulkBytes(byteCount: 4 * floats.count) { bytes in
                    floats.withUnsafeBytes { bytes.copyMemory(from: $0) }
                }
                guard let compressed = BulkCompression.compress(plain, width: 4, method: .bits) else { return }
                task.withUnsafeBytes {
                    writer.putTask(
                        request: 9, attempt: 1, typeName: Greeting.typeName, task: $0, key: BulkKey(job: 9, index: 3),
                        bulk: compressed)
                }
                compressed.withUnsafeBytes { writer.put(raw: $0) }
            },
            "report": frame { $0.putReport(request: 5, .progress(0.5, "half")) },
            "response": frame { writer in
                output.withUnsafeBytes {
                    writer.putResponse(
                        ResponseFrame(
                            request: 5, identity: .init(task: task.withUnsafeBytes(checksum), attempt: 1),
                            succeeded: true, keptBulk: true, seconds: 0.25, body: $0))
                }
            },
            "refusal": frame { $0.putRefusal(request: 5, reason: .queueFull, message: "full") },
            "cancel": frame { $0.putCancel(request: 5) },
            "ping": frame { $0.putPing(1) },
            "pong": frame { $0.putPong(1) },
            "part": frame { writer in
                writer.putPart(request: 5, count: 3)
                ([1, 2, 3] as [UInt8]).withUnsafeBytes { writer.put(raw: $0) }
            },
            "weight": frame { $0.putWeight(2) },
            "call": frame { $0.putCall(1, body: Array("jobs?".utf8)) },
            "reply": frame { $0.putReply(1, body: Array("none".utf8)) },
            "goodbye": frame { $0.putGoodbye(draining: true, message: "bye") },
        ]
    }

    @Test("shows the bytes that the code writes")
    func bytes() throws {
        let examples = try Self.examples()
        let expected = try Self.expected()
        #expect(examples.keys.sorted() == expected.keys.sorted())
        for (name, bytes) in expected {
            #expect(examples[name] == bytes, "\(name) should be\n\(Self.dump(bytes))")
        }
    }

    @Test("shows a task that the code reads")
    func task() throws {
        let bytes = try #require(try Self.examples()["task"])
        let frames = try FrameDecoderTests.decode(bytes) { 1000 }
        guard case .task(5, 1, "doc.greet/1", let task, BulkKey(job: 9, index: 3), [1, 2, 3, 4]) = frames.first else {
            Issue.record("\(frames)")
            return
        }
        #expect(try WireDecoder().decode(Greeting.self, from: task).name == "sky")
    }

    static func dump(_ bytes: [UInt8]) -> String {
        stride(from: 0, to: bytes.count, by: 16).map { start in
            let row = bytes[start..<min(start + 16, bytes.count)]
            let digits = row.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined(separator: " ")
            let text = String(decoding: row.map { (0x20..<0x7f).contains($0) ? $0 : 0x2e }, as: UTF8.self)
            return digits + String(repeating: " ", count: 47 - digits.count) + " | " + text
        }.joined(separator: "\n")
    }
}
