package import ScanCluster

/// Appends frames to bytes to be sent.
extension ByteWriter {
    private mutating func putPrefix(
        _ kind: FrameFormat.Kind, flags: UInt8 = 0, detail: UInt8 = 0, size: Int
    ) {
        put(UInt32(size - 4))
        put(kind.rawValue)
        put(flags)
        put(detail)
        put(0 as UInt8)
    }

    /// Appends all of a task frame but its bulk bytes, which must follow unless there is a `reference` to them; with
    /// `isParted`, in part frames.
    package mutating func putTask(
        request: UInt64, attempt: UInt32, typeName: String, task: UnsafeRawBufferPointer, key: BulkKey?,
        isLastUse: Bool = false, bulk: BulkBytes?, reference: BulkReference? = nil, referredCount: Int = 0,
        isParted: Bool = false
    ) {
        precondition(
            reference.map { bulk != nil || $0.identifiesBytes } ?? true, "a reference stands for bulk bytes")
        var typeName = typeName
        typeName.withUTF8 { typeName in
            let bulkCount = bulk?.count ?? (reference == nil ? 0 : referredCount)
            let bulkFlag =
                reference == nil
                ? FrameFormat.TaskFlag.hasBulk
                : FrameFormat.TaskFlag.hasReference | (bulk == nil ? FrameFormat.TaskFlag.isIdentified : 0)
            let unpackedCount = bulk?.unpackedCount
            let packedFlag =
                bulk?.isCompressed == true ? FrameFormat.TaskFlag.isCompressed : FrameFormat.TaskFlag.isPacked
            let headerSize =
                FrameFormat.taskHeaderSize + (unpackedCount == nil ? 0 : FrameFormat.unpackedCountSize)
            putPrefix(
                .task,
                flags: (key == nil ? 0 : FrameFormat.TaskFlag.hasKey)
                    | (key == nil || !isLastUse ? 0 : FrameFormat.TaskFlag.isLastUse)
                    | (bulk == nil && reference == nil ? 0 : bulkFlag)
                    | (unpackedCount == nil ? 0 : packedFlag) | (isParted ? FrameFormat.TaskFlag.isParted : 0),
                detail: UInt8(typeName.count),
                size: headerSize + typeName.count + task.count + (reference?.size ?? (isParted ? 0 : bulkCount)))
            put(request)
            put(attempt)
            put(UInt32(task.count))
            put(UInt64(bulkCount))
            put(checksum(task))
            put(bulk.map { $0.checksum(checksum) } ?? 0)
            put(key?.job ?? 0)
            put(key?.index ?? 0)
            if let unpackedCount { put(UInt64(unpackedCount)) }
            put(raw: UnsafeRawBufferPointer(typeName))
            put(raw: task)
        }
        if let reference { put(reference) }
    }

    /// Appends the header of a part frame, which `count` bulk bytes of a request must follow.
    package mutating func putPart(request: UInt64, count: Int) {
        putPrefix(.part, size: FrameFormat.requestHeaderSize + count)
        put(request)
    }

    private mutating func put(_ reference: BulkReference) {
        let body = reference.origin + reference.part
        put(body.withUnsafeBytes(checksum))
        put(UInt32(reference.origin.count))
        body.withUnsafeBytes { put(raw: $0) }
    }

    /// Size of a task frame with these bulk bytes.
    package static func taskSize(typeName: String, task: Int, bulk: BulkBytes?) -> Int {
        FrameFormat.taskHeaderSize + (bulk?.unpackedCount == nil ? 0 : FrameFormat.unpackedCountSize)
            + typeName.utf8.count + task + (bulk?.count ?? 0)
    }

    package mutating func putResponse(_ response: ResponseFrame) {
        let bulkChecksum = response.bulkChecksum
        putPrefix(
            .response,
            flags: (response.keptBulk ? FrameFormat.ResponseFlag.keptBulk : 0)
                | (response.succeeded ? 0 : FrameFormat.ResponseFlag.failed)
                | (bulkChecksum == nil ? 0 : FrameFormat.ResponseFlag.hasBulkChecksum),
            size: FrameFormat.responseHeaderSize + (bulkChecksum == nil ? 0 : FrameFormat.bulkChecksumSize)
                + response.body.count)
        put(response.request)
        put(response.identity.attempt)
        put(0 as UInt32)
        put(response.identity.task)
        put(response.seconds)
        put(checksum(response.body))
        if let bulkChecksum { put(bulkChecksum) }
        put(raw: response.body)
    }

    package mutating func putRefusal(request: UInt64, reason: RefusalReason, message: String) {
        let message = Array(message.utf8.prefix(FrameFormat.messageLimit))
        putPrefix(.refusal, detail: reason.rawValue, size: FrameFormat.requestHeaderSize + message.count)
        put(request)
        message.withUnsafeBytes { put(raw: $0) }
    }

    /// Appends what a task reports.
    package mutating func putReport(request: UInt64, _ report: TaskReport) {
        let (kind, fraction, text) = report.parts
        let bytes = Array(text.utf8.prefix(FrameFormat.messageLimit))
        putPrefix(.report, detail: kind, size: FrameFormat.reportHeaderSize + bytes.count)
        put(request)
        put(fraction)
        bytes.withUnsafeBytes { put(raw: $0) }
    }

    /// Appends the cancellation of a request.
    package mutating func putCancel(request: UInt64) {
        putPrefix(.cancel, size: FrameFormat.requestHeaderSize)
        put(request)
    }

    /// Appends the coordinator's weight from now on.
    package mutating func putWeight(_ weight: Double) {
        putPrefix(.weight, size: FrameFormat.requestHeaderSize)
        put(weight)
    }

    package mutating func putPing(_ token: UInt64) {
        putPrefix(.ping, size: FrameFormat.requestHeaderSize)
        put(token)
    }

    /// Appends the answer to a heartbeat.
    package mutating func putPong(_ token: UInt64) {
        putPrefix(.pong, size: FrameFormat.requestHeaderSize)
        put(token)
    }

    package mutating func putCall(_ number: UInt64, body: [UInt8]) { put(.call, number, body) }

    /// Appends the reply to a call.
    package mutating func putReply(_ number: UInt64, body: [UInt8]) { put(.reply, number, body) }

    private mutating func put(_ kind: FrameFormat.Kind, _ number: UInt64, _ body: [UInt8]) {
        putPrefix(kind, size: FrameFormat.callHeaderSize + body.count)
        body.withUnsafeBytes { body in
            put(number)
            put(checksum(body))
            put(raw: body)
        }
    }

    /// Appends the announcement that the connection will end.
    package mutating func putGoodbye(draining: Bool, message: String) {
        let message = Array(message.utf8.prefix(FrameFormat.messageLimit))
        putPrefix(.goodbye, flags: draining ? 1 : 0, size: FrameFormat.prefixSize + message.count)
        message.withUnsafeBytes { put(raw: $0) }
    }
}

extension BulkReference {
    /// Bytes on the wire.
    var size: Int { FrameFormat.referenceHeaderSize + origin.count + part.count }
}
