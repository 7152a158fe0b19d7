import ScanBasics

extension DiscoveryState {
    /// Assigns a resolved sighting to the node that its record names.
    mutating func attach(_ instance: ServiceInstance, _ knowledge: Sighting.Knowledge, at now: Instant) {
        guard let sighting = sightings[instance] else { return }
        let identity = NodeAdvertisement(knowledge.service.txt).id
        let id = identity.map(DiscoveredNode.ID.identity) ?? .name(instance.name)
        if sighting.node != id { detach(instance, at: now) }
        sightings[instance]?.knowledge = knowledge
        sightings[instance]?.node = id
        sightings[instance]?.isFresh = false

        var candidate = candidates[id] ?? Candidate()
        candidate.sightings.insert(instance)
        let isAside = candidate.setAsideUntil != nil
        if candidate.standing == .returning || isAside && sighting.isFresh { candidate.isToBeOffered = true }
        candidate.noteNews(at: now, settings)
        candidates[id] = candidate
    }

    mutating func detach(_ instance: ServiceInstance, at now: Instant) {
        guard let id = sightings[instance]?.node else { return }
        sightings[instance]?.node = nil
        sightings[instance]?.knowledge = nil
        candidates[id]?.sightings.remove(instance)
        candidates[id]?.noteNews(at: now, settings)
    }

    mutating func report(_ outcome: ConnectionOutcome, of id: DiscoveredNode.ID, at now: Instant) {
        guard var candidate = candidates[id] else { return }
        switch outcome {
        case .connected:
            candidate.standing = .connected
            candidate.wasConnected = true
            candidate.failures = 0
        case .ended, .failed:
            candidate.failures += 1
            let schedule = candidate.wasConnected ? settings.reconnection : settings.setAside
            candidate.standing = .setAside(
                until: now.advanced(by: schedule.pause(afterFailures: candidate.failures)))
        }
        candidates[id] = candidate
    }

    /// Resolves the node anew and offers it if that succeeds: stale records expire in the meantime. If no sighting can
    /// be resolved, the known addresses are used.
    mutating func offerAgain(_ id: DiscoveredNode.ID, at now: Instant) {
        guard var candidate = candidates[id] else { return }
        candidate.standing = .returning
        if browser == .listening {
            for instance in candidate.sightings.sorted() { enqueue(instance) }
        } else {
            candidate.isToBeOffered = true
            candidate.noteNews(at: now, settings)
        }
        candidates[id] = candidate
    }

    /// Reports the news about a node.
    mutating func settle(_ id: DiscoveredNode.ID) {
        guard var candidate = candidates[id] else { return }
        candidate.settlesAt = nil
        candidate.newsSince = nil
        guard let node = node(id, candidate) else {
            candidates[id] = nil
            if let told = candidate.told { actions.append(.announce(.lost(told))) }
            return
        }
        if case .identity(let identity) = id, own.contains(identity) {
            candidates[id] = candidate
            return
        }
        let leadsElsewhere = candidate.setAsideUntil != nil && node.addresses != candidate.told?.addresses
        if candidate.isToBeOffered || leadsElsewhere {
            candidate.isToBeOffered = false
            candidate.standing = .offered
            actions.append(.announce(.found(node)))
        } else if node != candidate.told {
            actions.append(.announce(.changed(node)))
        }
        candidate.told = node
        candidates[id] = candidate
    }

    /// Returns the node combined from all its sightings, or nil if none is left.
    private func node(_ id: DiscoveredNode.ID, _ candidate: Candidate) -> DiscoveredNode? {
        let parts = candidate.sightings.sorted().compactMap { instance in
            sightings[instance]?.knowledge.map { (instance, $0) }
        }
        guard let (instance, first) = parts.first else { return nil }
        let places = parts.flatMap { part in part.1.addresses.map { ($0, part.1.service.port) } }
            .sorted { $0 < $1 }
        var addresses: [SocketAddress] = []
        for place in places {
            let address = SocketAddress(host: "\(place.0)", port: place.1)
            if address != addresses.last { addresses.append(address) }
        }
        return DiscoveredNode(
            id: id, name: shownName(instance.name, id),
            addresses: Array(addresses.prefix(settings.maximumAddresses)),
            advertisement: NodeAdvertisement(first.service.txt),
            isOnThisMachine: parts.contains { $0.1.isOnThisMachine })
    }

    private func shownName(_ name: String, _ id: DiscoveredNode.ID) -> String {
        guard case .identity(let identity) = id else { return name.printable }
        return ServiceAdvertisement.nodeName(ofInstance: name, of: identity)
    }
}
