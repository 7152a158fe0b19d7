/// Writes DNS messages for tests.
enum DNSMessage {
    struct Record {
        var priority: UInt16
        var weight: UInt16
        var port: UInt16
        var host: String
        var seconds: UInt32
    }

    /// An answer to the question for SRV records of `name`, whose records refer back to the question's name.
    static func answer(id: UInt16 = 1, question name: String, _ records: [Record]) -> [UInt8] {
        var message = short(id) + [0x81, 0x80] + short(1) + short(UInt16(records.count)) + short(0) + short(0)
        message += labels(name) + short(33) + short(1)
        for record in records {
            let target = short(record.priority) + short(record.weight) + short(record.port) + labels(record.host)
            message += [0xc0, 12] + short(33) + short(1)
            message += short(UInt16(record.seconds >> 16)) + short(UInt16(truncatingIfNeeded: record.seconds))
            message += short(UInt16(target.count)) + target
        }
        return message
    }

    private static func short(_ value: UInt16) -> [UInt8] { [UInt8(value >> 8), UInt8(value & 0xff)] }

    private static func labels(_ name: String) -> [UInt8] {
        name.split(separator: ".").flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) } + [0]
    }
}
