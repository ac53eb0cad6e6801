import Access
import Durability
import GameFlow
package import HTTP
import JSONCoding
import RPC
import Sessions
import Shards

/// `/v1/send/SESSION/EVENT`, for devices that speak nothing but HTTP.
extension WebServer {
    /// Sends an event to a session, and answers with the result of the method `send`. `target` is the end of the path. A cookie is
    /// ignored: the token must be in the `Authorization` header. A token that was made for use in URLs may also be in the query.
    package func send(_ connection: HTTPConnection, _ head: RequestHead, _ target: String)
        throws(WebError)
    {
        let parts = target.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, let event = FormText.decode(parts[1].utf8, plusIsSpace: false),
            !event.isEmpty,
            let session = SessionName(String(parts[0]))
        else { throw WebError(.notFound, why: "expected /v1/send/SESSION/EVENT") }
        guard head.method == .post || head.method == .get else {
            throw WebError(.methodNotAllowed, why: "this path takes POST", allow: "POST, GET")
        }
        try checkBodyLength(connection)
        let (query, body) = try parameters(head, connection.body)
        let webIdentity = try senderIdentity(head, connection, query["token"])
        if head.method == .get { try checkGET(event, session, webIdentity) }
        try checkFullness()
        // If a name is in the query and in the body, the value in the body counts.
        let arguments = query.filter { $0.key != "token" }.mapValues { Value.string($0) }
            .merging(body) { $1 }
        let message = message(event, session, arguments, id: head.header("Idempotency-Key"))
        WebCall(connection, from: webIdentity, form: .resultOnly).execute(message[...])
    }

    /// The parameters in the query, and those in the body: a form, or a JSON object.
    private func parameters(_ head: RequestHead, _ body: ArraySlice<UInt8>) throws(WebError)
        -> (query: [String: String], body: [String: Value])
    {
        guard let query = head.query else {
            throw WebError(.badRequest, why: "query: a name is given twice, or is not text")
        }
        if body.isEmpty { return (query, [:]) }
        if head.hasMediaType("application/json") {
            guard case .object(let members)? = Value(json: Array(body)) else {
                throw WebError(.badRequest, why: "body: expected a JSON object with the arguments")
            }
            return (query, Dictionary(members.map { ($0.name, $0.value) }) { $1 })
        }
        guard head.hasMediaType("application/x-www-form-urlencoded") else {
            throw WebError(
                .unsupportedMediaType,
                why: "Content-Type: expected application/json or application/x-www-form-urlencoded")
        }
        guard String(validating: body, as: UTF8.self) != nil, let form = FormText.pairs(in: body)
        else { throw WebError(.badRequest, why: "form: a name is given twice, or is not text") }
        return (query, form.mapValues { .string($0) })
    }

    /// The identity by the certificate and the token. `token` is the token in the query; it counts if the header has no valid
    /// token. Throws 401 if the request has tokens, but no valid one.
    private func senderIdentity(
        _ head: RequestHead, _ connection: HTTPConnection, _ token: String?
    ) throws(WebError) -> WebIdentity {
        var identity = identityWithoutToken(head, connection)
        let authorizer = context.authorizer
        let nameInHeader = head.bearer.flatMap {
            authorizer.name(of: $0) ?? authorizer.nameForURLs(of: $0)
        }
        let name = nameInHeader ?? token.flatMap { authorizer.nameForURLs(of: $0) }
        if let name { identity.addToken(named: name) }
        if name == nil, head.bearer != nil || token != nil {
            throw unauthorized("auth", to: identity)
        }
        return WebIdentity(
            identity: identity, hasCredential: name != nil || identity.certificate != nil,
            hasInvalidToken: false, cookie: nil,
            bucket: bucket(of: identity, connection))
    }

    /// Throws unless a rule allows the sender to send the event by GET. Any web page can cause a GET by a link or an image, so
    /// by default a GET changes nothing.
    private func checkGET(_ event: String, _ session: SessionName, _ webIdentity: WebIdentity)
        throws(WebError)
    {
        let rights = context.authorizer.rights(of: webIdentity.identity)
        if rights.maySendWithGET(event, to: session) { return }
        let error = RequestError.forbidden(
            .event(event), source: .web, needs: .right("a rule with get=yes"))
        let flow = try? context.shards[of: session]?.sessions.session(session).flow
        context.reportForbidden(error.forLog(hiding: flow?.hidden), webIdentity.identity)
        throw WebError(webIdentity.hasCredential ? .forbidden : .unauthorized, error)
    }

    /// The request as a JSON-RPC request of the method `send`. The node that runs the session converts arguments that are texts
    /// to the types that the event declares. `id` is the id under which the answer is remembered, or nil.
    private func message(
        _ event: String, _ session: SessionName, _ arguments: [String: Value], id: String?
    ) -> [UInt8] {
        JSONWriter.bytes {
            $0.beginObject()
            $0.name("jsonrpc")
            $0.string("2.0")
            $0.name("id")
            $0.int(WebCall.resultOnlyID)
            $0.name("method")
            $0.string("send")
            $0.name("params")
            $0.beginObject()
            $0.name("session")
            $0.string(session.text)
            $0.name("event")
            $0.string(event)
            $0.name("args")
            $0.object(arguments.sorted { $0.key < $1.key }.map { Member($0.key, $0.value) })
            if let id {
                $0.name("id")
                $0.string(id)
            }
            $0.endObject()
            $0.endObject()
        }
    }
}
