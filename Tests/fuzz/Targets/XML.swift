@testable import SAMP

extension FuzzTarget {
    /// The answer of a hub of SAMP: as XML, or as the reply of HTTP that it comes in; the first byte chooses.
    static let xml = FuzzTarget(name: "xml") { bytes in
        var input = FuzzInput(bytes)
        let choice = input.byte() % 2
        do throws(SAMPError) {
            var document = Array(input.rest)
            if choice == 1 {
                var reply = HTTPReply()
                // In two pieces, as a socket may give it.
                let half = document.count / 2
                let isComplete = try reply.receive(document[..<half])
                if !isComplete { _ = try reply.receive(document[half...]) }
                document = try reply.body()
            }
            let value = try XMLRPCReader.value(of: document)
            let answer = Array(head.utf8) + Array(value.xml.utf8) + Array(tail.utf8)
            // Carriage returns and characters that XML does not have cannot be written.
            if let again = try? XMLRPCReader.value(of: answer) { precondition(same(again, value)) }
        } catch {
            precondition(!error.description.isEmpty)
        }
    } seeds: {
        let map = XMLRPCValue.map([
            "samp.status": .text("samp.ok"), "list": .list([.text("<&>"), .list([]), .map([:])]), "é": .text("星"),
        ])
        let answer = head + map.xml + tail
        let bare = "<value>\n <struct><member><name>n</name><value><int>3</int></value></member></struct></value>"
        let fault =
            "<?xml version='1.0' encoding='ISO-8859-1'?><methodResponse><fault>"
            + XMLRPCValue.map(["faultCode": .text("1"), "faultString": .text("no")]).xml + "</fault></methodResponse>"
        let entity = "<!DOCTYPE a [<!ENTITY b \"c\">]><methodResponse><value>&b;<![CDATA[d]]></value></methodResponse>"
        let reply = "HTTP/1.0 200 OK\r\nContent-Type: text/xml\r\nContent-Length: \(answer.utf8.count)\r\n\r\n" + answer
        let texts = ["answer": answer, "bare": head + bare + tail, "fault": fault, "entity": entity]
        return texts.mapValues { Array($0.utf8).chosen(0) }.merging(["reply": Array(reply.utf8).chosen(1)]) { $1 }
    }

    private static let head = "<?xml version=\"1.0\"?>\n<methodResponse><params><param>"
    private static let tail = "</param></params></methodResponse>\n"

    /// Whether values have the same shape and keys.
    private static func same(_ one: XMLRPCValue, _ other: XMLRPCValue) -> Bool {
        switch (one, other) {
        case (.text, .text): true
        case (.list(let one), .list(let other)): one.count == other.count && zip(one, other).allSatisfy(same)
        case (.map(let one), .map(let other)): one.count == other.count
        default: false
        }
    }
}
