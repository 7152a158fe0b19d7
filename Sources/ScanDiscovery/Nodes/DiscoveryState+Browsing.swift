import ScanBasics

extension DiscoveryState {
    mutating func browse() {
        browser = .opening
        actions.append(.browse)
    }

    mutating func browseStarted(at now: Instant) {
        browser = .listening
        browserFailures = 0
        recoveryEnds = sightings.isEmpty ? nil : now.advanced(by: settings.recoveryGrace)
        tell(.available)
    }

    /// Keeps the known nodes, which do not disappear with the daemon. Instances that the daemon repeats when it is back
    /// count as new.
    mutating func browseEnded(_ error: DiscoveryError, at now: Instant) {
        browserFailures += 1
        browser = .waiting(until: now.advanced(by: settings.sourceRetry.pause(afterFailures: browserFailures)))
        recoveryEnds = nil
        for instance in sightings.keys.sorted() {
            if sightings[instance]?.isResolving == true { stopResolving(instance, then: .settled) }
            sightings[instance]?.count = 0
            sightings[instance]?.phase = .settled
        }
        queue = []
        tell(.unavailable(error))
    }

    mutating func add(_ instance: ServiceInstance) {
        guard let known = sightings[instance] else {
            guard sightings.count < settings.maximumInstances else { return }
            sightings[instance] = Sighting()
            queue.append(instance)
            return
        }
        sightings[instance]?.count = known.count + 1
        if known.count == 0 {
            sightings[instance]?.isFresh = true
            sightings[instance]?.failures = 0
            enqueue(instance)
        }
    }

    mutating func remove(_ instance: ServiceInstance, at now: Instant) {
        guard let sighting = sightings[instance], sighting.count > 0 else { return }
        if sighting.count > 1 {
            sightings[instance]?.count -= 1
        } else {
            forget(instance, at: now)
        }
    }

    mutating func forgetUnrepeated(at now: Instant) {
        recoveryEnds = nil
        for instance in sightings.filter({ $0.value.count == 0 }).keys.sorted() { forget(instance, at: now) }
    }

    private mutating func forget(_ instance: ServiceInstance, at now: Instant) {
        if sightings[instance]?.isResolving == true { stopResolving(instance, then: .settled) }
        detach(instance, at: now)
        sightings[instance] = nil
        queue.removeAll { $0 == instance }
    }

    private mutating func tell(_ news: Notice) {
        guard news != notice else { return }
        notice = news
        switch news {
        case .nothing: break
        case .available: actions.append(.announce(.available))
        case .unavailable(let error): actions.append(.announce(.unavailable(error)))
        }
    }
}
