import GameFlow
package import JSONCoding
package import RPC
import Timers

/// The method `token`: adds, removes and lists access tokens.
package struct TokenMethod: PartMethod {
    package let method = Method.token
    private let tokens: Authorizer
    /// Knows the address of the pages at which a token is presented.
    private let invitations: Invitations

    package init(_ tokens: Authorizer, _ invitations: Invitations) {
        (self.tokens, self.invitations) = (tokens, invitations)
    }

    /// A token as `token list` shows it.
    private static func members(of token: TokenDescription) -> [Member] {
        var sessionPatterns: [String] = []
        for grant in token.rights.grants where !sessionPatterns.contains(grant.session.pattern) {
            sessionPatterns.append(grant.session.pattern)
        }
        let members: [Member?] = [
            Member("name", token.name), Member("use", token.use.rawValue),
            token.guestName.map { Member("as", $0) },
            token.rights.highestRole.map { Member("role", $0.name) },
            Member("sessions", .array(sessionPatterns.map { .string($0) })),
            token.until.map { Member("until", Timestamp.text($0)) },
        ]
        return members.compactMap(\.self)
    }

    /// Lists the tokens, or begins to add or remove one. A token that is added with `url` is accepted only in URLs.
    package func call(
        _ params: borrowing Params, _ caller: any Caller, _ dispatcher: Dispatcher,
        _ writer: inout JSONWriter
    ) throws(CallError) -> CallOutcome {
        let isForURLs = params.isTrue(.url)
        let action = TokenAction(rawValue: params.required(.action))
        if isForURLs, action != .add { throw .invalidParams("url: allowed only with add") }
        switch (action, params.text(.name)) {
        case (.list, nil):
            let descriptions = tokens.descriptions
            writer.object([
                Member("tokens", .array(descriptions.map { .string($0.name) })),
                Member(
                    "details", .array(descriptions.map { .object(Self.members(of: $0)) })),
            ])
            return .succeeded
        case (.add, let name?):
            // A page does not accept a token for URLs.
            let page = isForURLs ? nil : invitations.pages.address
            return Dispatcher.smallDeferredResult { [tokens] done in
                tokens.add(name, isForURLs: isForURLs) { result in
                    let members = result.map { token -> [Member?] in
                        [
                            Member("name", name), Member("token", token),
                            page.map { Member("page", $0) },
                        ]
                    }
                    done(members.map { $0.compactMap(\.self) })
                }
            }
        case (.remove, let name?):
            return Dispatcher.smallDeferredResult { [tokens] done in
                // `ended` is the number of connections that were closed, because they had signed in with the token.
                tokens.remove(name) { result in
                    done(result.map { [Member("name", name), Member("ended", $0)] })
                }
            }
        case (.list, _): throw .invalidParams("name: allowed only with add and remove")
        case (.add, nil), (.remove, nil): throw .invalidParams("name: missing")
        case (nil, _): throw .invalidParams("action: expected add NAME, remove NAME or list")
        }
    }
}
