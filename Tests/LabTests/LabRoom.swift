/// Places for scenarios that run at once. One that bears no company takes all of them, after all others.
actor LabRoom {
    private let places: Int
    private var free: Int
    private var waiting: [(places: Int, scenario: CheckedContinuation<Void, Never>)] = []

    init(places: Int) {
        self.places = places
        free = places
    }

    /// Waits for room.
    /// - Returns: the places that ``leave(_:)`` gives back.
    func enter(_ company: Lab.Company) async -> Int {
        let wanted = [.anything: 0, .others: 1, .nothing: places][company] ?? 0
        if wanted > free {
            await withCheckedContinuation { waiting.append((wanted, $0)) }
        } else {
            free -= wanted
        }
        return wanted
    }

    func leave(_ given: Int) {
        free += given
        // Those that need least come first.
        waiting.sort { $0.places < $1.places }
        while let next = waiting.first, next.places <= free {
            free -= next.places
            waiting.removeFirst().scenario.resume()
        }
    }
}
