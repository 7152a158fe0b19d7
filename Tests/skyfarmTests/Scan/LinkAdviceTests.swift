import Testing

import ImageScanning

@Suite struct LinkAdviceTests {
    @Test("the link is mentioned if it was full for most of the scan, with what it gave and what would help")
    func words() {
        var advice = LinkAdvice(bytes: 40_000_000, fullSeconds: 3.2, seconds: 4, isCompressible: true)
        #expect(
            advice.words
                == "the link to the nodes was full for 80 % of the scan, with 40.0 MB of pixels at 100 Mbit/s; it would "
                + "take less time with an image compressed by fpack, nodes that read the image themselves (skyfarm node "
                + "--data) or a faster link")
        advice.isCompressible = false
        #expect(advice.words?.contains("fpack") == false)
        advice.fullSeconds = 1.9
        #expect(advice.words == nil)
        #expect(LinkAdvice(bytes: 0, fullSeconds: 4, seconds: 4, isCompressible: true).words == nil)
    }
}
