// error: call can throw but is not marked with 'try'
import SkyfarmKit

/// Outputs without a look at failures.
struct Half: ScanTask {
    static let typeName = "rejected.half/1"
    var id: Int

    func scan(_ context: ScanContext) -> Int { id / 2 }
}

func sum(_ farm: Farm) async throws -> Int {
    var sum = 0
    for try await response in farm.responses(to: [Half(id: 1)]) { sum += response.get() }
    return sum
}
