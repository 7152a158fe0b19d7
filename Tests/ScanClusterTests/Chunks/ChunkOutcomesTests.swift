import Foundation
import ScanCluster
import Testing

@Suite struct ChunkOutcomesTests {
    private typealias Outcomes = ChunkOutcomes<Int?>

    /// The outcomes that a node would have to encode so.
    private func decode(_ json: String) throws -> Outcomes {
        try JSONDecoder().decode(Outcomes.self, from: Data(json.utf8))
    }

    private func list(_ outcomes: Outcomes) -> [Result<Int?, Outcomes.Failure>] {
        var results: [Result<Int?, Outcomes.Failure>] = []
        outcomes.forEach { place, result in
            #expect(place == results.count)
            results.append(result)
        }
        return results
    }

    @Test("each task has its own outcome, an output that is nil as well, also after coding")
    func order() throws {
        var outcomes = Outcomes()
        for place in 0..<10 {
            if place.isMultiple(of: 3) {
                outcomes.append(failure: "no \(place)")
            } else {
                outcomes.append(place == 5 ? nil : place)
            }
        }
        let copy = try JSONDecoder().decode(Outcomes.self, from: JSONEncoder().encode(outcomes))
        for outcomes in [outcomes, copy] {
            #expect(outcomes.count == 10 && outcomes.isSound)
            let results = list(outcomes)
            #expect(results.count == 10)
            for (place, result) in results.enumerated() {
                switch result {
                case .success(let output): #expect(output == (place == 5 ? nil : place) && !place.isMultiple(of: 3))
                case .failure(let failure): #expect(failure.message == "no \(place)" && place.isMultiple(of: 3))
                }
            }
        }
    }

    @Test("outcomes of no tasks are empty")
    func none() {
        #expect(Outcomes().isSound && Outcomes().count == 0 && list(Outcomes()).isEmpty)
    }

    @Test("failures twice in one place, in no place, or not in order are no outcomes")
    func unsound() throws {
        for places in [[0, 0], [1, 0], [0, 3], [-1, 0]] {
            let failures = places.map { #"{"place": \#($0), "message": ""}"# }.joined(separator: ", ")
            let outcomes = try decode(#"{"outputs": [7], "failures": [\#(failures)]}"#)
            #expect(outcomes.count == 3 && !outcomes.isSound, "\(places)")
            // Reading them nevertheless ends.
            #expect(list(outcomes).count <= 3)
        }
    }
}
