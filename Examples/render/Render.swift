import Foundation
import SkyfarmKit

/// Renders a tile of the Mandelbrot set.
struct Tile: AsyncScanTask {
    static let typeName = "example.render/1"
    var id: Int
    var rows: Range<Int>
    var side: Int
    var cost: Double { Double(rows.count * side) }

    /// Returns three bytes per pixel. Others have their turn after each row.
    func scan(_ context: ScanContext) async throws -> [UInt8] {
        var pixels: [UInt8] = []
        for row in rows {
            await Task.yield()
            try Task.checkCancellation()
            context.report(Double(row - rows.lowerBound) / Double(rows.count), "row \(row)")
            for column in 0..<side {
                let share = Double(steps(x: Double(column), y: Double(row))) / Double(Self.mostSteps)
                pixels += [share.squareRoot(), share, share * share].map { UInt8(255 * $0) }
            }
        }
        return pixels
    }

    private static let mostSteps = 2000

    private func steps(x: Double, y: Double) -> Int {
        let (real, imaginary) = (3 * x / Double(side) - 2.25, 3 * y / Double(side) - 1.5)
        var (a, b) = (0.0, 0.0)
        for step in 0..<Self.mostSteps {
            if a * a + b * b > 4 { return step }
            (a, b) = (a * a - b * b + real, 2 * a * b + imaginary)
        }
        return 0
    }

    func validate(_ pixels: [UInt8]) throws {
        guard pixels.count == 3 * side * rows.count else { throw CocoaError(.coderInvalidValue) }
    }
}

@main struct Render {
    static func main() async {
        let arguments = Array(CommandLine.arguments.dropFirst())
        do {
            switch (arguments.first, arguments.count) {
            case ("node", 1...2): try await serve(listen: arguments.count > 1 ? arguments[1] : ":0")
            case ("image", 2...): try await render(arguments[1], nodes: Array(arguments.dropFirst(2)))
            default: print("usage: render node [ADDR:PORT]\n       render image FILE.ppm [HOST:PORT]…")
            }
        } catch {
            say("render: \(error)")
            exit(1)
        }
    }

    static func say(_ line: String) { FileHandle.standardError.write(Data("\(line)\n".utf8)) }

    static func serve(listen: String) async throws {
        let keys = try KeyStore.user().ring()
        let node = ScanNode(keys: keys, slots: 2, serving: TaskTypes(Tile.self), listen: listen)
        try await node.run { say("ready \($0)") }
    }

    static func render(_ path: String, nodes: [String]) async throws {
        let (side, height) = (2048, 16)
        let tasks = (0..<side / height).map { Tile(id: $0, rows: $0 * height..<($0 + 1) * height, side: side) }
        var tiles: [Int: [UInt8]] = [:]
        let page = LivePage { say("page at \($0)") }
        try await withFarm(running: Tile.self, nodes: nodes, localSlots: 1, page: page) { farm in
            for try await response in farm.responses(to: tasks) {
                tiles[response.id] = try response.get()
                say("\(100 * tiles.count / tasks.count) %, \(response.system)")
            }
        }
        var image = Data("P6 \(side) \(side) 255\n".utf8)
        for task in tasks { image += tiles[task.id] ?? [] }
        try image.write(to: URL(filePath: path))
    }
}
