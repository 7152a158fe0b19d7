import Testing

import SAMP

@Suite("XML-RPC") struct XMLRPCTests {
    private func answer(_ value: String) -> [UInt8] {
        Array("<?xml version='1.0'?>\n<methodResponse>\n<params><param>\(value)</param></params></methodResponse>".utf8)
    }

    private func code(_ document: [UInt8]) -> SAMPErrorCode? {
        do throws(SAMPError) {
            _ = try XMLRPCReader.value(of: document)
            return nil
        } catch {
            return error.code
        }
    }

    @Test("a list or a map of many values takes time in proportion to their number")
    func many() throws {
        func seconds(_ count: Int) throws -> Double {
            let list = XMLRPCValue.list([XMLRPCValue](repeating: .text("x"), count: count))
            let map = XMLRPCValue.map(Dictionary(uniqueKeysWithValues: (0..<count).map { ("\($0)", .text("y")) }))
            let document = answer(XMLRPCValue.list([list, map]).xml)
            return try ContinuousClock().measure { _ = try XMLRPCReader.value(of: document) } / .seconds(1)
        }
        _ = try seconds(100)
        let (short, long) = (try seconds(1000), try seconds(16_000))
        #expect(long < 100 * max(short, 1e-4), "\(short) s, \(long) s")
    }

    @Test("what is written is read again, whatever its characters")
    func roundTrip() throws {
        let value = XMLRPCValue.map([
            "a<b>&": .text("]]> <string> é 星\r\n\t\""), "list": .list([.text(""), .list([]), .map([:]), .text(" x ")]),
            "map": .map(["": .text("1")]),
        ])
        #expect(try XMLRPCReader.value(of: answer(value.xml)) == value)
    }

    @Test("a call has the form of the specification")
    func call() {
        let text = XMLRPCValue.call(
            "samp.hub.notify", [.text("k"), .map(["b": .list([.text("1")]), "a": .text("<")])])
        #expect(
            text == """
                <?xml version="1.0" encoding="UTF-8"?>
                <methodCall><methodName>samp.hub.notify</methodName><params><param><value><string>k</string></value></param>\
                <param><value><struct><member><name>a</name><value><string>&lt;</string></value></member>\
                <member><name>b</name><value><array><data><value><string>1</string></value></data></array></value></member>\
                </struct></value></param></params></methodCall>

                """)
    }

    @Test("values of other types, and of none, are texts; white space between elements is none")
    func types() throws {
        let value =
            "<value>\n <struct>\n <member>\n <name>n</name>\n <value><int>3</int></value>\n </member>\n"
            + "<member><name>t</name><value> bare </value></member></struct>\n</value>"
        #expect(try XMLRPCReader.value(of: answer(value)) == .map(["n": .text("3"), "t": .text(" bare ")]))
    }

    @Test("a fault is an error with the server's words")
    func fault() {
        let value = XMLRPCValue.map(["faultCode": .text("1"), "faultString": .text("no such client")]).xml
        let document = Array("<methodResponse><fault>\(value)</fault></methodResponse>".utf8)
        #expect(throws: SAMPError(.refused, "no such client")) { try XMLRPCReader.value(of: document) }
    }

    @Test(
        "what is no answer is refused",
        arguments: [
            "", "no XML", "<value><array><struct/></array></value>", "<string>x</string>",
            "<value><string>x</string><string>y</string></value>", "<value><string>x",
            String(repeating: "<value><array><data>", count: 100)
                + String(repeating: "</data></array></value>", count: 100),
        ])
    func malformed(value: String) { #expect(code(answer(value)) == .malformed) }

    @Test("a document that defines entities is refused")
    func entities() {
        let bomb = "<!DOCTYPE a [<!ENTITY x \"y\"><!ENTITY z \"&x;&x;\">]>"
        #expect(
            code(
                Array(
                    (bomb + "<methodResponse><params><param><value>&z;</value></param></params></methodResponse>").utf8)
            ) == .malformed)
    }
}
