import GameFlow
package import Parts
package import Sessions

/// Logs each change and each refused event, while the level of the log is `debug`. Otherwise it watches no session, and costs
/// nothing. The lines have no arguments and no data, and no names that a flow hides from players.
package final class TransitionLog: ShardFollower, Watcher, Part {
    private let shards: OwnShards
    private var isOn: Bool

    package init(_ shards: OwnShards, _ options: Options) {
        self.shards = shards
        isOn = options.log.level == .debug
    }

    // MARK: shards

    package func shardWasRestored(_ shard: Shard, _ rows: RestoredRows) {
        if isOn { watch(shard.sessions) }
    }

    package func shardHasEnded(_ shard: Shard) {}

    package func reload(_ options: Options) {
        let isOn = options.log.level == .debug
        guard isOn != self.isOn else { return }
        self.isOn = isOn
        for sessions in shards.sessions {
            if isOn { watch(sessions) } else { try? sessions.unwatch(.all, by: self) }
        }
    }

    private func watch(_ sessions: Sessions) {
        // Watching all sessions from now on cannot fail.
        _ = try? sessions.watch(.all, [.changes, .refusals], by: self)
    }

    // MARK: notifications

    package func notify(_ notification: Notification) {
        switch notification.content {
        case .change(let change): log(change)
        case .refused(let refused): log(refused)
        case .beat, .gap, .input, .stuck: break
        }
    }

    package func ended(_ session: SessionName) {}

    private func log(_ change: Change) {
        let hidden = change.view?.hidden
        let name = shown(change.step.event?.name ?? change.kind.name, hidden)
        let (from, to) = (change.step.from?.state ?? "none", change.step.to?.state ?? "none")
        Log.write(
            .debug, .transition,
            "session \(change.session.text): \(name): \(from) to \(to)",
            [
                .session(change.session.text), .event(name), .state(to),
            ] + flow(of: change.session) + LogField.fields(ofAccount: change.step.source.account))
    }

    private func log(_ refused: RefusedEvent) {
        let name = shown(refused.event.name, refused.hidden)
        Log.write(
            .debug, .refused, "session \(refused.session.text): \(name): \(refused.error.name)",
            [
                .session(refused.session.text), .event(name), .reason(refused.error.name),
            ] + flow(of: refused.session) + LogField.fields(ofAccount: refused.source.account))
    }

    /// The flow that a session plays; empty if the session was closed.
    private func flow(of name: SessionName) -> [LogField] {
        guard let session = try? shards[of: name]?.sessions.session(name) else { return [] }
        return [.flow(session.flow.name)]
    }

    private func shown(_ event: String, _ hidden: HiddenNames?) -> String {
        hidden?.hidesEvent(event) == true ? "hidden" : event
    }
}
