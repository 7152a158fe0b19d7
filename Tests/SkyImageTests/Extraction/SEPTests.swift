import CSEP
import Foundation
import Testing

import SkyExtraction
import SkyFITS

@Suite("the SEP library")
struct SEPTests {
    @Test("deblending's draw is fixed as libsep sees it, and copies of a blend are deblended alike")
    func draw() throws {
        #expect(SEPVersion.drawIsFixed)
        #expect(try DrawCheck.deblendsAlike())
    }

    @Test("the library's version is known")
    func version() {
        #expect(SEPVersion.current.split(separator: ".").count == 3)
        // Release 1.2.1 reports 1.2.0.
        #expect(SEPVersion.isVerified == ["1.2.0", "1.2.1"].contains(SEPVersion.current))
    }

    @Test("another version is named with the verified one, and a draw that is not fixed is refused")
    func otherLibrary() throws {
        #expect(SEPVersion.warning(about: SEPVersion.verified) == nil)
        let warning = try #require(SEPVersion.warning(about: "1.4.0"))
        #expect(warning.contains("SEP 1.4.0") && warning.contains(SEPVersion.verified))
        try SEPVersion.requireFixedDraw()
        #expect(throws: ScanSetupError.self) { try SEPVersion.requireFixedDraw(isFixed: false) }
    }

    @Test("an error has SEP's message")
    func errors() {
        #expect(SEPError(status: 2).description.contains("pixel buffer"))
        #expect(throws: SEPError.self) { try SEPError.check(2) }
    }

    @Test("an extraction that exceeds a limit is repeated with a higher one; other failures are not")
    func room() throws {
        var calls = 0
        let before = sep_get_extract_pixstack()
        try SEPLimits.withRoom(pixelCount: 500_000) {
            calls += 1
            return calls < 2 ? 2 : 0
        }
        #expect(calls == 2 && sep_get_extract_pixstack() >= max(before, 500_000))
        calls = 0
        #expect(throws: SEPError.self) {
            try SEPLimits.withRoom(pixelCount: 500_000) {
                calls += 1
                return 3
            }
        }
        #expect(calls == 1)
        // A window's pixels are all the stack can need: then the failure is final.
        #expect(throws: SEPError.self) { try SEPLimits.withRoom(pixelCount: 10) { 2 } }
    }

    @Test("the limit on sub-objects grows")
    func subObjects() throws {
        var calls = 0
        try SEPLimits.withRoom(pixelCount: 10) {
            calls += 1
            return calls < 2 ? 7 : 0
        }
        #expect(sep_get_sub_object_limit() >= 32768)
        // libsep numbers sub-objects by 16-bit integers: an island that needs more is an error.
        calls = 0
        #expect(throws: SEPError.self) {
            try SEPLimits.withRoom(pixelCount: 10) {
                calls += 1
                return 7
            }
        }
        #expect(calls <= 2)
    }

    @Test("no limit changes during an extraction: libsep would write beyond its memory")
    func limitsStand() throws {
        let raised = DispatchSemaphore(value: 0)
        try SEPLimits.withRoom(pixelCount: 10) {
            let before = sep_get_sub_object_limit()
            Thread.detachNewThread {
                SEPLimits.raise(subObjects: before * 2)
                raised.signal()
            }
            while SEPLimits.waiting == 0 { Thread.sleep(forTimeInterval: 1e-4) }
            #expect(sep_get_sub_object_limit() == before)
            return 0
        }
        raised.wait()
        #expect(SEPLimits.waiting == 0)
    }

    @Test("limits are raised although extractions overlap all the time")
    func limitsAreRaised() throws {
        let end = sep_get_sub_object_limit() + 40
        DispatchQueue.concurrentPerform(iterations: 4) { number in
            while sep_get_sub_object_limit() < end {
                try? SEPLimits.withRoom(pixelCount: 10) { 0 }
                if number == 0 { SEPLimits.raise(subObjects: sep_get_sub_object_limit() + 1) }
            }
        }
        #expect(sep_get_sub_object_limit() >= end)
    }

    @Test("an unknown kernel in the environment is refused by name")
    func refusesUnknownKernel() throws {
        try ScanKernel.requireKnown(nil)
        for kernel in ScanKernel.allCases { try ScanKernel.requireKnown(kernel.rawValue) }
        #expect(throws: ScanSetupError("SKYFARM_ENGINE must be own or sep, not 'gpu'")) {
            try ScanKernel.requireKnown("gpu")
        }
    }
}
