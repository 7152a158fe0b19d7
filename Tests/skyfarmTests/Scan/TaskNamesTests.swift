import SkyFITS
import SkyScan
import Testing

import ImageScanning

@Suite struct TaskNamesTests {
    private func rows(_ range: Range<Int>) -> PixelRect { PixelRect(x: 0..<100, y: range) }

    @Test("a task has the place of its sector in the image, whatever the order, and those resumed count")
    func bands() {
        var names = TaskNames()
        #expect(names[0] == "task 0")
        names.begin(.extraction, waiting: [rows(30..<40), rows(0..<10)], resumed: [rows(20..<30), rows(10..<20)])
        #expect(names[0] == "band 4 of 4 (extraction)" && names[1] == "band 1 of 4 (extraction)")
        #expect(names[2] == "task 2")
        names.begin(.photometry, waiting: [rows(5..<9)], resumed: [])
        #expect(names[0] == "window 1 of 1 (photometry)")
    }

    @Test("the only band of an image is the image")
    func whole() {
        var names = TaskNames()
        names.begin(.extraction, waiting: [rows(0..<10)], resumed: [])
        #expect(names[0] == "image (extraction)")
    }

    @Test("tasks of a job of many images have the name of their image")
    func images() {
        let names = JobTaskNames()
        names.begin(.background, waiting: [rows(0..<10), rows(10..<20)], resumed: [], of: "a.fits[1]")
        names.begin(.background, waiting: [rows(0..<10)], resumed: [], of: "")
        #expect(names.name(of: 1, of: "a.fits[1]").plain == "a.fits[1]: band 2 of 2 (background)")
        #expect(names.name(of: 0, of: "").plain == "image (background)")
    }
}
