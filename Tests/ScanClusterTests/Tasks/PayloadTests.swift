import ScanCluster
import Testing

@Suite("Payloads are tried in an order that ends with the bytes as they are") struct PayloadTests {
    private func source(_ reference: BulkReference? = nil, numberSize: Int? = nil, isPackable: Bool = true)
        -> BulkSource
    {
        BulkSource(reference: reference, byteCount: 1, numberSize: numberSize, isPackable: isPackable) {
            (_: BulkPacking) in BulkBytes(byteCount: 1) { $0[0] = 0 }
        }
    }

    @Test("after what the system holds")
    func held() {
        #expect(Payload.order(of: source(), holdsKey: true) == [.held, .plain])
        #expect(Payload.order(of: source(), holdsKey: false) == [.plain])
    }

    @Test("packed bytes that the system cannot unpack are sent once more, as they are")
    func packed() {
        let packed = Payload.packed(.stored, isReferred: false)
        #expect(Payload.order(of: source(), holdsKey: false, packing: .stored) == [packed, .plain])
        #expect(
            Payload.order(of: source(isPackable: false), holdsKey: false, packing: .stored) == [.plain])
    }

    @Test("bytes that the transport may compress are sent once more, as they are")
    func compressed() {
        let numbers = source(numberSize: 4)
        #expect(
            Payload.order(of: numbers, holdsKey: false, compresses: true)
                == [.packed(.none, isReferred: false), .plain])
        #expect(Payload.order(of: source(), holdsKey: false, compresses: true) == [.plain])
    }

    @Test("a reference that identifies the bytes is sent before anyone has read them, others are ones to packed bytes")
    func reference() {
        let source = source(BulkReference(origin: [1], part: [2]))
        #expect(Payload.order(of: source, holdsKey: true, reads: true) == [.held, .reference, .plain])
        #expect(
            Payload.order(of: source, holdsKey: false, packing: .stored)
                == [.packed(.stored, isReferred: true), .packed(.stored, isReferred: false), .plain])
        #expect(
            Payload.order(of: source, holdsKey: false) == [.packed(.none, isReferred: true), .plain])
    }
}
