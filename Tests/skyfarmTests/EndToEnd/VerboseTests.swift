import Testing

@Suite("--verbose") struct VerboseTests {
    @Test("names each step and each task, who did it and how long it took; without it no task is named")
    func tasks() throws {
        let scene = try Scene()
        let words = ["scan", try scene.sky(), "--no-discovery", "--local-slots", "1", "-o", scene.path("out/o.csv")]
        let quiet = try Program.run(words)
        #expect(quiet.code == 0 && !quiet.errors.contains(" assigned to "))
        let result = try Program.run(words + ["--overwrite", "--no-journal", "-v"])
        #expect(result.code == 0)
        #expect(result.errors.contains("skyfarm: extraction: "))
        #expect(result.errors.contains("skyfarm: image (extraction) assigned to local, attempt 1\n"))
        #expect(result.errors.contains(/skyfarm: image \(extraction\) done by local in [0-9.:]+ ?m?s/))
    }
}
