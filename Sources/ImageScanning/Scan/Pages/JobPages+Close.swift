import Console
import ScanDashboard

/// The end of the live page.
extension JobPages {
    /// Whether the finished page is served on: the command was typed at a terminal, and no file has the page.
    var isServedOn: Bool { file == nil && Terminal.isTypedCommand }

    /// As of the link: what ends is not to be missed.
    private var level: Log.Level { DashboardOption.level(command.options.common) }

    /// Ends the live page once those who see it have its end.
    ///
    /// A page that nobody could open in time is served on, or its file is named: see ``PageAfterlife``. If the job has
    /// `failed`, the page ends within a second.
    func close(failed: Bool, _ log: Log, _ interrupts: Interrupts) async {
        guard let server = server.withLock(\.self) else { return }
        if failed { return await server.close(within: 1) }
        if let file, server.lastVisit == nil {
            log.write(level, "the live page has ended before it was opened; its content is in \(file)")
        }
        if isServedOn { await serveOn(server, log, interrupts) }
        await server.close()
    }

    private func serveOn(_ server: DashboardServer, _ log: Log, _ interrupts: Interrupts) async {
        let afterlife = PageAfterlife(end: server.age, hasLinks: hasLinks)
        func rest() -> Double {
            interrupts.received == nil ? afterlife.close(lastVisit: server.lastVisit) - server.age : 0
        }
        guard rest() > 0 else { return }
        let left = HumanFormat.count(Int(rest().rounded(.up)), "second")
        log.write(level, "the page is served for another \(left); Ctrl-C ends it")
        while rest() > 0 { try? await Task.sleep(for: .milliseconds(100)) }
    }
}
