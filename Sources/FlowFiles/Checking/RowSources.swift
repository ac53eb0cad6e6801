internal import GameFlow
internal import Support

/// Where the rows of a state come from, for events with `as: EVENT`: the rows of another event handle them, under their own names.
struct RowSources {
    /// The keys under `on` of the state itself.
    let own: [RowKey]
    /// The keys of `everywhere`, if the state gets them.
    let everywhere: [RowKey]

    /// Returns the rows that handle an event: `node`, the rows under its name, or those of the event that `node` names with `as`.
    /// Nil if there are none; also after a mistake, which is added to the findings of `checker`.
    func rows(
        of event: Int, _ node: DocumentNode, _ isEverywhere: Bool, _ checker: FlowFileChecker
    ) -> DocumentNode? {
        guard let entry = Self.alias(node) else { return node }
        guard let name = entry.value.text, let target = checker.eventIndices[name] else {
            checker.findings.add(
                entry.value.position,
                checker.unknown(
                    "event", entry.value.text ?? "", checker.flow.events.map(\.name)))
            return nil
        }
        if node.entries?.count != 1 {
            checker.findings.add(
                entry.position, "as stands alone: the rows of \(name) say everything else")
            return nil
        }
        guard Self.haveSameArguments(checker.flow.events[event], checker.flow.events[target]) else {
            checker.findings.add(
                entry.position,
                "\(checker.flow.events[event].name) and \(name) need the same arguments with the same types and limits"
            )
            return nil
        }
        guard let rows = key(of: name)?.rows else {
            // The rows of `everywhere` are for many states, and not each of them has rows of the other event.
            if !isEverywhere {
                checker.findings.add(entry.value.position, "there are no rows of \(name) here")
            }
            return nil
        }
        if Self.alias(rows) != nil {
            checker.findings.add(
                entry.value.position, "\(name) itself is handled as another event; name that one")
            return nil
        }
        return rows
    }

    /// The key with the rows of an event: that of the state itself, otherwise that of `everywhere`.
    func key(of event: String) -> RowKey? {
        (own + everywhere).first { $0.names.contains { $0.hasSameBytes(as: event) } }
    }

    /// The entry with the key `as` in place of rows; nil if the rows are no map with this key.
    static func alias(_ node: DocumentNode) -> DocumentEntry? {
        node.entries?.first { $0.key == "as" }
    }

    private static func haveSameArguments(_ a: EventDefinition, _ b: EventDefinition) -> Bool {
        a.arguments.count == b.arguments.count
            && a.arguments.allSatisfy { field in
                b.arguments.contains {
                    $0.name == field.name && $0.type == field.type && $0.limits == field.limits
                }
            }
    }
}

extension FlowFileChecker {
    /// Adds a finding for each event of `everywhere` with `as: EVENT` if no state has rows of that other event.
    func checkAliases(_ everywhere: EverywhereRows) {
        for key in everywhere.keys {
            guard let entry = RowSources.alias(key.rows), let name = entry.value.text else {
                continue
            }
            let isHandled = key.names.contains { event in
                guard let index = eventIndices[event] else { return true }
                return flow.states.contains { $0.eventRows[index] != nil }
            }
            if !isHandled {
                findings.add(entry.value.position, "no state has rows of \(name)")
            }
        }
    }
}
