package import RPC

/// Checks the bound arguments of `allow` lines: the fixed values with which a principal may send an event. `--check` calls it.
package enum BoundArguments {
    /// Warnings for the operator: a sentence for each rule whose bound arguments are not enforced. The bound arguments of a
    /// rule are not enforced if another rule for the same principal allows the same events with any arguments.
    package static func notes(_ rules: [Rule]) -> [String] {
        let rulesWithArguments = rules.filter { !$0.grant.boundArguments.isEmpty }
        return rulesWithArguments.compactMap { rule in
            let isUnenforced = rules.contains { other in
                other.principal == rule.principal && other.grant.role >= .play
                    && other.grant.boundArguments.isEmpty
                    && overlap(other.grant.event, rule.grant.event)
                    && overlap(other.grant.session, rule.grant.session)
            }
            guard isUnenforced else { return nil }
            let event = rule.grant.event.pattern
            return "another rule lets \(rule.principal.text) send \(event) with any arguments, "
                + "so the values in `args` are not enforced"
        }
    }

    /// Whether two patterns are equal, or one pattern matches the text of the other pattern. Patterns that overlap in another
    /// way, such as `a*` and `*b`, are not noticed. A missing warning is acceptable; a wrong warning is not.
    private static func overlap(_ a: Glob, _ b: Glob) -> Bool {
        a == b || a.matches(b.pattern) || b.matches(a.pattern)
    }
}
