import Testing

import Console

@Suite struct TextTableTests {
    @Test("the first column begins at the left, the others end at the right")
    func alignment() {
        var table = TextTable("SYSTEM", "SLOTS")
        table.add("a", "12")
        table.add("a-long-name", "1")
        var texts = TextTable("NAME", "SLOTS", "KEY", texts: ["KEY"])
        texts.add("a", "12", "k")
        texts.add("long", "1", "key")
        #expect(texts.text == "NAME  SLOTS  KEY\na        12  k\nlong      1  key\n")
        #expect(table.text == "SYSTEM       SLOTS\na               12\na-long-name      1\n")
    }
}
