import ScanCluster
import Testing

@testable import ScanNetwork

@Suite struct BulkReportsTests {
    private let reference = BulkReference(origin: [1], part: [2], identifiesBytes: true)

    @Test("nodes that read different bytes by one reference are named, and a node that does not read an origin")
    func problems() {
        var reports = BulkReports()
        reports.add(BulkReport(reference: reference, checksum: 7), of: "a")
        reports.add(BulkReport(reference: reference, checksum: 7), of: "b")
        let other = BulkReference(origin: [1], part: [3], identifiesBytes: true)
        reports.add(BulkReport(reference: other, checksum: 8), of: "b")
        #expect(reports.problems.isEmpty)
        for _ in 0..<2 {
            reports.add(BulkReport(reference: reference, checksum: 8), of: "c")
            reports.add(BulkReport(reference: other), of: "d")
        }
        #expect(
            reports.problems == [
                .disagreement(reference, nodes: ["a", "c"]), .unread(origin: [1], node: "d"),
            ])
    }

    @Test("the memory for reports is bounded")
    func bounded() {
        var reports = BulkReports()
        for number in 0..<BulkReports.limit + 10 {
            let reference = BulkReference(
                origin: [UInt8(number & 255)], part: [UInt8(number >> 8 & 255), UInt8(number >> 16)])
            reports.add(BulkReport(reference: reference, checksum: 1), of: "a")
            reports.add(BulkReport(reference: reference), of: "\(number)")
        }
        #expect(reports.problems.count == BulkReports.problemLimit)
    }

    @Test("an answer to a question counts as no bytes that were read, and a refusal of one is no problem of the scan")
    func questions() throws {
        var node = NodeInfo(
            identity: SystemID(high: 0, low: 1), name: "node", slots: 1, queueLimit: 1, taskTypes: [],
            frameLimit: 1 << 20)
        (node.readsReferences, node.identifiesBulk) = (true, true)
        var state = TCPTransport.State<Int>(node: node)
        var attempt = AttemptRequest(task: ProbeTask(id: 1), number: 1)
        var question = reference
        question.isQuestion = true
        (attempt.reference, attempt.referredCount) = (question, 100)
        let requests = (0..<2).map { state.start(attempt, task: 9, completion: $0).request }
        var response = ResponseFrame(
            request: requests[0], identity: .init(task: 9, attempt: 1), succeeded: true, keptBulk: false, seconds: 1,
            body: UnsafeRawBufferPointer(start: nil, count: 0))
        response.bulkChecksum = 5
        _ = try state.received(.response(response))
        _ = try state.received(.refusal(request: requests[1], reason: .bulkElsewhere, message: "no"))
        #expect(state.takeTraffic() == nil && state.takeReport() == nil)
    }

    @Test("a transport refers to bytes without their checksum, and reports the node's")
    func transport() throws {
        var node = NodeInfo(
            identity: SystemID(high: 0, low: 1), name: "node", slots: 1, queueLimit: 1, taskTypes: [],
            frameLimit: 1 << 20)
        node.readsReferences = true
        #expect(!TCPTransport.State<Int>(node: node).reads(reference))
        node.identifiesBulk = true
        var state = TCPTransport.State<Int>(node: node)
        #expect(state.reads(reference) && !state.reads(BulkReference(origin: [1], part: [2])))
        var attempt = AttemptRequest(task: ProbeTask(id: 1), number: 1, bulkKey: BulkKey(job: 1, index: 1))
        (attempt.reference, attempt.referredCount) = (reference, 100)
        var requests: [UInt64] = []
        for completion in 0..<2 { requests.append(state.start(attempt, task: 9, completion: completion).request) }
        var response = ResponseFrame(
            request: requests[0], identity: .init(task: 9, attempt: 1), succeeded: true, keptBulk: true, seconds: 1,
            body: UnsafeRawBufferPointer(start: nil, count: 0))
        response.bulkChecksum = 5
        _ = try state.received(.response(response))
        #expect(state.takeReport() == BulkReport(reference: reference, checksum: 5) && state.takeReport() == nil)
        #expect(state.holds(BulkKey(job: 1, index: 1)) && state.takeTraffic()?.read.bytes == 100)
        _ = try state.received(.refusal(request: requests[1], reason: .bulkElsewhere, message: "no"))
        #expect(state.takeReport() == BulkReport(reference: reference) && !state.reads(reference))
    }
}
