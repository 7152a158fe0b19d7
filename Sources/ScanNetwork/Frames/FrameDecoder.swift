import ScanCluster
import ScanBasics

/// Splits received bytes into frames. Bulk bytes are received directly into the memory in which they stay.
///
/// The caller receives into ``space()``, reports with ``received(_:)`` and takes frames from ``next()`` until it
/// returns nil. After an error nothing more may be taken.
package struct FrameDecoder: ~Copyable {
    private var buffer = InBuffer()
    private var bulk: IncomingBulk?
    /// A task whose bulk bytes come in part frames.
    private var parted: PartedTask?
    /// The task of that kind that was returned last: its views are valid until the next call.
    private var completed: PartedTask?
    private var consumable = 0
    /// Longest frame that is accepted, in bytes, its length field included.
    package var limit: Int

    package init(limit: Int) { self.limit = limit }

    /// Bytes received that belong to no frame yet.
    package var waiting: UnsafeRawBufferPointer { buffer.bytes }

    /// Memory to receive into; never empty.
    package mutating func space() -> UnsafeMutableRawBufferPointer {
        settle()
        if let bulk { return bulk.space }
        if let parted, parted.left > 0 { return parted.space }
        return buffer.space()
    }

    /// The first `count` bytes of ``space()`` were received.
    package mutating func received(_ count: Int) {
        if bulk != nil {
            bulk?.received(count)
        } else if let parted, parted.left > 0 {
            self.parted?.received(count)
        } else {
            buffer.received(count)
        }
    }

    /// Removes bytes that are not a frame, such as a hello.
    package mutating func skip(_ count: Int) { buffer.consume(count) }

    /// The next frame; nil if it is not complete.
    /// - Throws: ``ProtocolError`` if the bytes are not a frame.
    package mutating func next() throws(ProtocolError) -> Frame? {
        settle()
        completed = nil
        if bulk != nil { return try finishTask() }
        while try beginPart() {}
        if let task = try finishParts() { return task }
        if let parted, parted.left > 0 { return nil }
        let bytes = buffer.bytes
        guard bytes.count >= FrameFormat.prefixSize else { return nil }
        let size = Int(bytes.u32(0)) + 4
        guard size <= limit else { throw ProtocolError("a frame of \(size) bytes, the limit is \(limit)") }
        guard size >= FrameFormat.prefixSize else { throw ProtocolError("a frame of \(size) bytes") }
        guard let kind = FrameFormat.Kind(rawValue: bytes[4]) else {
            throw ProtocolError("a frame of unknown type \(bytes[4])")
        }
        guard bytes[7] == 0 else { throw ProtocolError("a frame whose reserved byte is \(bytes[7])") }
        if kind == .task { return try beginTask(size) }
        guard bytes.count >= size else { return nil }
        consumable = size
        return try frame(kind, UnsafeRawBufferPointer(rebasing: bytes[..<size]))
    }

    /// Removes the frame that was returned last.
    private mutating func settle() {
        if consumable > 0 {
            buffer.consume(consumable)
            consumable = 0
        }
    }

    private mutating func frame(
        _ kind: FrameFormat.Kind, _ bytes: UnsafeRawBufferPointer
    ) throws(ProtocolError) -> Frame {
        let flags = bytes[5]
        let detail = bytes[6]
        switch kind {
        case .task, .part: throw ProtocolError("a \(kind) frame out of place")
        case .response: return .response(try response(bytes))
        case .refusal:
            try require(bytes, least: FrameFormat.requestHeaderSize, flags: 0, detail: true)
            guard let reason = RefusalReason(rawValue: detail) else {
                throw ProtocolError("a refusal for an unknown reason \(detail)")
            }
            return .refusal(
                request: bytes.u64(8), reason: reason,
                message: String(decoding: bytes.from(FrameFormat.requestHeaderSize), as: UTF8.self))
        case .cancel, .ping, .pong, .weight:
            try require(bytes, least: FrameFormat.requestHeaderSize, flags: 0, detail: false)
            guard bytes.count == FrameFormat.requestHeaderSize else {
                throw ProtocolError("a \(kind) frame of \(bytes.count) bytes")
            }
            let value = bytes.u64(8)
            switch kind {
            case .cancel:
                if parted?.request == value { parted = nil }
                return .cancel(request: value)
            case .ping: return .ping(value)
            case .weight: return .weight(Double(bitPattern: value))
            default: return .pong(value)
            }
        case .goodbye:
            try require(bytes, least: FrameFormat.prefixSize, flags: 1, detail: false)
            let message = String(decoding: bytes.from(FrameFormat.prefixSize), as: UTF8.self)
            return .goodbye(draining: flags == 1, message: message)
        case .report:
            try require(bytes, least: FrameFormat.reportHeaderSize, flags: 0, detail: true)
            let text = String(decoding: bytes.from(FrameFormat.reportHeaderSize), as: UTF8.self)
            let fraction = Double(bitPattern: bytes.u64(16))
            guard let report = TaskReport(kind: detail, fraction: fraction, text: text) else {
                throw ProtocolError("a report of an unknown kind")
            }
            return .report(request: bytes.u64(8), report)
        case .call, .reply:
            try require(bytes, least: FrameFormat.callHeaderSize, flags: 0, detail: false)
            let body = bytes.from(FrameFormat.callHeaderSize)
            guard body.count <= FrameFormat.callBodyLimit else {
                throw ProtocolError("a \(kind) of \(body.count) bytes")
            }
            guard checksum(body) == bytes.u64(16) else { throw ProtocolError("a \(kind) with a wrong checksum") }
            let call = CallFrame(number: bytes.u64(8), body: body)
            return kind == .call ? .call(call) : .reply(call)
        }
    }

    private func response(_ bytes: UnsafeRawBufferPointer) throws(ProtocolError) -> ResponseFrame {
        let hasChecksum = bytes[5] & FrameFormat.ResponseFlag.hasBulkChecksum != 0
        let headerSize = FrameFormat.responseHeaderSize + (hasChecksum ? FrameFormat.bulkChecksumSize : 0)
        try require(bytes, least: headerSize, flags: FrameFormat.ResponseFlag.all, detail: false)
        let body = bytes.from(headerSize)
        let seconds = Double(bitPattern: bytes.u64(32))
        guard bytes.u32(20) == 0 else { throw ProtocolError("a response whose reserved bytes are not zero") }
        guard checksum(body) == bytes.u64(40) else { throw ProtocolError("a response with a wrong checksum") }
        guard seconds >= 0, seconds.isFinite else { throw ProtocolError("a response that took \(seconds) s") }
        var response =
            ResponseFrame(
                request: bytes.u64(8), identity: .init(task: bytes.u64(24), attempt: bytes.u32(16)),
                succeeded: bytes[5] & FrameFormat.ResponseFlag.failed == 0,
                keptBulk: bytes[5] & FrameFormat.ResponseFlag.keptBulk != 0, seconds: seconds,
                body: body)
        if hasChecksum { response.bulkChecksum = bytes.u64(FrameFormat.responseHeaderSize) }
        return response
    }

    private func require(
        _ bytes: UnsafeRawBufferPointer, least: Int, flags: UInt8, detail: Bool
    ) throws(ProtocolError) {
        guard bytes.count >= least else { throw ProtocolError("a frame of \(bytes.count) bytes, too short") }
        guard bytes[5] & ~flags == 0 else { throw ProtocolError("a frame with unknown flags \(bytes[5])") }
        guard detail || bytes[6] == 0 else { throw ProtocolError("a frame with an unknown detail \(bytes[6])") }
    }
}

// MARK: Tasks

extension FrameDecoder {
    /// Begins a task frame of `size` bytes. Once its head is complete, memory for its bulk bytes is allocated.
    private mutating func beginTask(_ size: Int) throws(ProtocolError) -> Frame? {
        let bytes = buffer.bytes
        guard size >= FrameFormat.taskHeaderSize else { throw ProtocolError("a task frame of \(size) bytes") }
        guard bytes.count >= FrameFormat.taskHeaderSize else { return nil }
        let flags = bytes[5]
        let bulkCount = bytes.u64(24)
        guard flags & ~FrameFormat.TaskFlag.all == 0 else {
            throw ProtocolError("a task frame with unknown flags \(flags)")
        }
        let headerSize = Self.headerSize(flags)
        let headSize = headerSize + Int(bytes[6]) + Int(bytes.u32(20))
        guard size >= headerSize else { throw ProtocolError("a task frame of \(size) bytes") }
        guard bytes.count >= headerSize else { return nil }
        try checkPacked(flags)
        guard flags & FrameFormat.TaskFlag.isLastUse == 0 || flags & FrameFormat.TaskFlag.hasKey != 0 else {
            throw ProtocolError("a task frame with the flag of the last use but no bulk key")
        }
        guard bulkCount <= UInt64(limit) else { throw ProtocolError("a task frame with \(bulkCount) bulk bytes") }
        if flags & FrameFormat.TaskFlag.isIdentified != 0 {
            guard flags & FrameFormat.TaskFlag.hasReference != 0, flags & FrameFormat.TaskFlag.isPacked == 0,
                bytes.u64(40) == 0
            else { throw ProtocolError("a task frame whose reference cannot identify the bulk bytes") }
        }
        if flags & FrameFormat.TaskFlag.hasReference != 0 { return try referringTask(size, headSize) }
        let isParted = flags & FrameFormat.TaskFlag.isParted != 0
        guard headSize + (isParted ? 0 : Int(bulkCount)) == size else {
            throw ProtocolError("a task frame whose parts do not add up to its length")
        }
        guard flags & FrameFormat.TaskFlag.hasBulk != 0 || bulkCount == 0 && !isParted else {
            throw ProtocolError("a task frame with bulk bytes but without their flag")
        }
        guard bytes.count >= headSize else { return nil }
        if isParted { return try beginParts(Int(bulkCount), headSize) }
        guard flags & FrameFormat.TaskFlag.hasBulk != 0 else { return try task(headSize, bulk: nil) }
        var incoming = IncomingBulk(
            byteCount: Int(bulkCount), unpackedCount: Self.unpackedCount(bytes),
            isCompressed: flags & FrameFormat.TaskFlag.isCompressed != 0, headSize: headSize)
        let early = UnsafeRawBufferPointer(rebasing: bytes[headSize..<min(size, bytes.count)])
        incoming.space.copyMemory(from: early)
        incoming.received(early.count)
        incoming.early = early.count
        bulk = incoming
        return try finishTask()
    }

    /// A task whose last part is a reference to its bulk bytes.
    private mutating func referringTask(_ size: Int, _ headSize: Int) throws(ProtocolError) -> Frame? {
        let bytes = buffer.bytes
        guard bytes[5] & (FrameFormat.TaskFlag.hasBulk | FrameFormat.TaskFlag.isParted) == 0 else {
            throw ProtocolError("a task frame with bulk bytes and a reference to others")
        }
        guard (FrameFormat.referenceHeaderSize...FrameFormat.referenceLimit).contains(size - headSize) else {
            throw ProtocolError("a task frame with a reference of \(size - headSize) bytes")
        }
        guard bytes.count >= size else { return nil }
        let body = UnsafeRawBufferPointer(rebasing: bytes[headSize + FrameFormat.referenceHeaderSize..<size])
        let originCount = Int(bytes.u32(headSize + 8))
        guard originCount <= body.count, checksum(body) == bytes.u64(headSize) else {
            throw ProtocolError("a reference with a wrong checksum")
        }
        let referred = ReferredBulk(
            reference: BulkReference(origin: Array(body[..<originCount]), part: Array(body[originCount...])),
            byteCount: Int(bytes.u64(24)),
            checksum: bytes[5] & FrameFormat.TaskFlag.isIdentified == 0 ? bytes.u64(40) : nil,
            unpackedCount: Self.unpackedCount(bytes))
        return try task(headSize, bulk: nil, referred: referred, further: size - headSize)
    }

    /// Bytes before the name of the task's type.
    private static func headerSize(_ flags: UInt8) -> Int {
        FrameFormat.taskHeaderSize
            + (flags & FrameFormat.TaskFlag.hasUnpackedCount == 0 ? 0 : FrameFormat.unpackedCountSize)
    }

    private static func unpackedCount(_ bytes: UnsafeRawBufferPointer) -> Int? {
        bytes[5] & FrameFormat.TaskFlag.hasUnpackedCount == 0 ? nil : Int(bytes.u64(FrameFormat.taskHeaderSize))
    }

    /// Refuses packed or compressed bytes that stand for more than the limit, which also holds for other bytes.
    private func checkPacked(_ flags: UInt8) throws(ProtocolError) {
        if flags & FrameFormat.TaskFlag.isCompressed != 0 {
            guard flags & FrameFormat.TaskFlag.hasBulk != 0, flags & FrameFormat.TaskFlag.isPacked == 0 else {
                throw ProtocolError("a task frame whose bulk bytes cannot be compressed")
            }
        }
        guard flags & FrameFormat.TaskFlag.hasUnpackedCount != 0 else { return }
        guard flags & (FrameFormat.TaskFlag.hasBulk | FrameFormat.TaskFlag.hasReference) != 0 else {
            throw ProtocolError("a task frame with the flag of packed bulk bytes but without bulk bytes")
        }
        let count = buffer.bytes.u64(FrameFormat.taskHeaderSize)
        guard count <= UInt64(limit) else { throw ProtocolError("a task frame with \(count) packed bulk bytes") }
    }

    private mutating func finishTask() throws(ProtocolError) -> Frame? {
        guard let incoming = bulk, incoming.isComplete else { return nil }
        bulk = nil
        let bytes = incoming.take()
        guard bytes.withUnsafeBytes(checksum) == buffer.bytes.u64(40) else {
            throw ProtocolError("bulk bytes with a wrong checksum")
        }
        return try task(incoming.headSize, bulk: bytes, further: incoming.early)
    }

    /// A task whose head, and `further` bytes after it, are in the buffer.
    private mutating func task(
        _ headSize: Int, bulk: BulkBytes?, referred: ReferredBulk? = nil, further: Int = 0
    ) throws(ProtocolError) -> Frame {
        consumable = headSize + further
        return try task(UnsafeRawBufferPointer(rebasing: buffer.bytes[..<headSize]), bulk: bulk, referred: referred)
    }

    /// The task of a head.
    private func task(
        _ head: UnsafeRawBufferPointer, bulk: BulkBytes?, referred: ReferredBulk? = nil
    ) throws(ProtocolError) -> Frame {
        let headerSize = Self.headerSize(head[5])
        let typeEnd = headerSize + Int(head[6])
        let task = head.from(typeEnd)
        guard checksum(task) == head.u64(32) else { throw ProtocolError("a task with a wrong checksum") }
        let hasKey = head[5] & FrameFormat.TaskFlag.hasKey != 0
        var frame = TaskFrame(
            request: head.u64(8), identity: .init(task: head.u64(32), attempt: head.u32(16)),
            typeName: UnsafeRawBufferPointer(rebasing: head[headerSize..<typeEnd]), task: task)
        if hasKey || bulk != nil || referred != nil {
            frame.part = Boxed(
                BulkPart(
                    key: hasKey ? BulkKey(job: head.u64(48), index: head.u64(56)) : nil,
                    isLastUse: head[5] & FrameFormat.TaskFlag.isLastUse != 0, bulk: bulk, referred: referred))
        }
        return .task(frame)
    }
}

// MARK: Parts

extension FrameDecoder {
    /// The head of a task is complete whose `count` bulk bytes follow in part frames. One whose bytes are not complete was
    /// cancelled.
    private mutating func beginParts(_ count: Int, _ headSize: Int) throws(ProtocolError) -> Frame? {
        let bytes = UnsafeRawBufferPointer(rebasing: buffer.bytes[..<headSize])
        let head = IncomingMemory(byteCount: headSize)
        head.bytes.copyMemory(from: bytes)
        let bulk = IncomingBulk(
            byteCount: count, unpackedCount: Self.unpackedCount(bytes),
            isCompressed: bytes[5] & FrameFormat.TaskFlag.isCompressed != 0, headSize: headSize)
        parted = PartedTask(request: bytes.u64(8), head: head, bulk: bulk)
        buffer.consume(headSize)
        return try next()
    }

    /// Begins to receive the bytes of a part frame, if one is next.
    /// - Returns: whether all of it is received.
    private mutating func beginPart() throws(ProtocolError) -> Bool {
        if let parted, parted.left > 0 { return false }
        let bytes = buffer.bytes
        guard bytes.count >= FrameFormat.requestHeaderSize, bytes[4] == FrameFormat.Kind.part.rawValue else {
            return false
        }
        try require(bytes, least: FrameFormat.requestHeaderSize, flags: 0, detail: false)
        let count = Int(bytes.u32(0)) + 4 - FrameFormat.requestHeaderSize
        guard bytes[7] == 0, let task = parted, task.request == bytes.u64(8), count > 0, count <= task.missing else {
            throw ProtocolError("a part frame of \(count) bulk bytes that no task lacks")
        }
        let early = min(count, bytes.count - FrameFormat.requestHeaderSize)
        parted?.left = count
        parted?.space.copyMemory(
            from: UnsafeRawBufferPointer(rebasing: bytes.from(FrameFormat.requestHeaderSize)[..<early]))
        parted?.received(early)
        buffer.consume(FrameFormat.requestHeaderSize + early)
        return early == count
    }

    /// The task whose parts have all been received; nil if there is none.
    private mutating func finishParts() throws(ProtocolError) -> Frame? {
        guard let task = parted, task.missing == 0 else { return nil }
        (parted, completed) = (nil, task)
        let bytes = task.bulk.take()
        let head = UnsafeRawBufferPointer(task.head.bytes)
        guard bytes.withUnsafeBytes(checksum) == head.u64(40) else {
            throw ProtocolError("bulk bytes with a wrong checksum")
        }
        return try self.task(head, bulk: bytes)
    }
}
