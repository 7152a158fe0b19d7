// error: conflicting arguments to generic parameter 'Work'
import SkyfarmKit

/// One run of tasks of two types.
struct First: ScanTask {
    static let typeName = "rejected.first/1"
    var id: Int

    func scan(_ context: ScanContext) -> Int { id }
}

struct Second: ScanTask {
    static let typeName = "rejected.second/1"
    var id: Int

    func scan(_ context: ScanContext) -> Int { id }
}

func mix(_ farm: Farm) async throws {
    for try await response in farm.responses(to: [First(id: 1), Second(id: 2)]) { print(response) }
}
