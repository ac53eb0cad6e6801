internal import GameFlow
internal import JSONCoding
internal import Sessions

/// One JSON-RPC request, as `Params` has read it. The parameters are in the `Params`.
struct JSONRequest {
    /// The node of the id, which is an index of `Params.json`; nil if there is no valid id. A request without an id is a
    /// notification, which gets no reply.
    let idNode: Int?
    let call: Call

    /// A value that is no request, because it is not an object.
    static var notAnObject: JSONRequest {
        JSONRequest(idNode: nil, call: .invalid(why: "a request is an object"))
    }

    /// What a request asks for.
    enum Call {
        /// A call of this method, with the parameters in the `Params`.
        case method(Method)
        /// Nothing that can be carried out, for this reason. The reason is allocated separately, because it is large and rare.
        indirect case mistake(CallError)
        /// The value is no JSON-RPC request, for this reason. So it is no notification either, and gets a reply.
        indirect case invalid(why: String)
    }
}

/// What a text of JSON contains.
enum JSONMessage {
    case request(JSONRequest)
    /// An array. The text is parsed, and each element is read by `Params.readElement`.
    case batch
}

/// Reads JSON-RPC requests and their parameters in one pass: the methods that are called here look at each byte once.
extension Params {
    /// Reads the text in `json`, which was loaded and not parsed.
    mutating func readMessage() throws(JSONError) -> JSONMessage {
        if let members = json.reader() {
            return .request(try readRequest(members, isWholeText: true))
        }
        try json.parse()
        return json.kind(JSONText.root) == .array ? .batch : .request(.notAnObject)
    }

    /// Reads a request that is the element of a batch at this node.
    mutating func readElement(_ node: Int) throws(JSONError) -> JSONRequest {
        guard let members = json.reader(at: node) else { return .notAnObject }
        return try readRequest(members, isWholeText: false)
    }

    /// Reads a request. `isWholeText` says whether nothing may follow it.
    ///
    /// Of several mistakes, the first of these kinds is reported: a mistake of the JSON, of the request's members, of the method,
    /// of the parameters. Among parameters, it is the first wrong one in the text, and then a missing one.
    private mutating func readRequest(_ object: JSONMembers, isWholeText: Bool)
        throws(JSONError) -> JSONRequest
    {
        var members = object
        var envelope = Envelope()
        unexpectedMembers.removeAll()
        while let name = try members.next() {
            try readMember(name, &members, &envelope)
        }
        if envelope.hasDuplicates { throw members.duplicate }
        if isWholeText { try members.end() }
        guard envelope.hasValidID(json) else {
            return JSONRequest(
                idNode: nil,
                call: .invalid(why: "id: expected a string, or an integer within ±(2^53 − 1)"))
        }
        if let why = envelope.flaw(json) {
            return JSONRequest(idNode: envelope.idNode, call: .invalid(why: why))
        }
        return JSONRequest(idNode: envelope.idNode, call: call(of: envelope))
    }

    /// Reads the value of a member of a request.
    @inline(__always) private mutating func readMember(
        _ name: JSONMembers.Name, _ members: inout JSONMembers, _ envelope: inout Envelope
    ) throws(JSONError) {
        if json.isName("jsonrpc", name) {
            if envelope.versionNode != nil { envelope.hasDuplicates = true }
            envelope.versionNode = try json.readValue(&members)
        } else if json.isName("id", name) {
            if envelope.idNode != nil { envelope.hasDuplicates = true }
            envelope.idNode = try json.readValue(&members)
        } else if json.isName("method", name) {
            if envelope.methodNode != nil { envelope.hasDuplicates = true }
            let node = try json.readValue(&members)
            (envelope.methodNode, envelope.method) = (node, method(at: node))
        } else if json.isName("params", name) {
            if !envelope.params.areMissing { envelope.hasDuplicates = true }
            envelope.params = try readParams(&members, of: envelope.method)
        } else {
            if !unexpectedMembers.insert(json.string(of: name)) {
                envelope.hasDuplicates = true
            }
            envelope.unknownMember = name
            _ = try json.readValue(&members)
        }
    }

    /// The method with the name at a node; nil if no method has this name.
    private func method(at node: Int) -> Method? {
        // The most frequent method is compared first.
        if json.isString("send", at: node) { return .send }
        return json.string(at: node).flatMap(Method.init(name:))
    }

    /// Reads the value of the member `params`. If `method` is nil, only checks that the value is JSON.
    private mutating func readParams(_ members: inout JSONMembers, of method: Method?)
        throws(JSONError) -> Envelope.ParamsState
    {
        if let method, var object = try members.object() {
            let call = try readObject(&object, of: method)
            members.skip(to: object)
            return .read(call)
        }
        let node = try json.readValue(&members)
        return switch json.kind(node) {
        case .object: .object(node)
        case .array: .array
        default: .other
        }
    }

    /// The call that a valid envelope asks for. Reads the parameters, unless that was done.
    private mutating func call(of envelope: Envelope) -> JSONRequest.Call {
        guard let method = envelope.method else {
            let name = envelope.methodNode.flatMap { json.string(at: $0) }
            return .mistake(.methodNotFound(name ?? ""))
        }
        switch envelope.params {
        case .read(let call): return call
        case .missing:
            begin(.json)
            return checkedCall(of: method)
        case .object(let node): return readObject(at: node, of: method)
        case .array, .other:
            return .mistake(
                .invalidParams("params: expected an object (parameters are named, not positional)")
            )
        }
    }

    /// Reads the parameters of a request whose method stands after them. They were found to be JSON before.
    private mutating func readObject(at node: Int, of method: Method) -> JSONRequest.Call {
        guard var members = json.reader(at: node) else { return checkedCall(of: method) }
        do throws(JSONError) { return try readObject(&members, of: method) } catch {
            return .mistake(CallError(error))
        }
    }

    /// Reads the parameters of a method from an object. They are a mistake if one is unknown, has a value of another type, or is
    /// missing.
    private mutating func readObject(_ members: inout JSONMembers, of method: Method)
        throws(JSONError) -> JSONRequest.Call
    {
        begin(.json)
        var mistake: JSONRequest.Call?
        var hasDuplicates = false
        unexpectedParameters.removeAll()
        let sets = method.parameterSets
        while let name = try members.next() {
            guard let parameter = parameter(named: name, among: sets.all) else {
                let text = json.string(of: name)
                if !unexpectedParameters.insert(text) { hasDuplicates = true }
                if mistake == nil { mistake = .mistake(ParameterSet.unknown(text)) }
                _ = try json.readValue(&members)
                continue
            }
            if has(parameter) { hasDuplicates = true }
            let node = try json.readValue(&members)
            setLocation(of: parameter, node)
            // Most parameters are texts.
            if texts.contains(parameter), json.isPlainString(at: node) { continue }
            if let mismatch = parameter.kind.typeMismatch(of: node, in: json), mistake == nil {
                mistake = .mistake(.invalidParams("\(parameter.name): \(mismatch)"))
            }
        }
        if hasDuplicates { throw members.duplicate }
        return mistake ?? checkedCall(of: method)
    }

    /// The call of a method with the parameters that were read, which is a mistake if a required one is missing.
    private func checkedCall(of method: Method) -> JSONRequest.Call {
        do throws(CallError) { try checkRequired(method.requiredParameters) } catch {
            return .mistake(error)
        }
        return .method(method)
    }
}

/// The members of a request, as far as they were read. A node is the index of a value in `Params.json`.
private struct Envelope {
    var versionNode: Int?
    var idNode: Int?
    var methodNode: Int?
    /// The requested method; nil if its name was not read yet, or if no method has this name.
    var method: Method?
    var params = ParamsState.missing
    /// The unknown member that was read last.
    var unknownMember: JSONMembers.Name?
    /// Whether two members have the same name.
    var hasDuplicates = false

    /// The parameters of a request, as far as they were read.
    enum ParamsState {
        case missing
        /// They were read for the method.
        case read(JSONRequest.Call)
        /// The object at this node, which was only found to be JSON, because the method was not known.
        case object(Int)
        /// An array. Its refusal explains why, and so it is not the refusal of other values.
        case array
        case other

        var areMissing: Bool { if case .missing = self { true } else { false } }
    }

    /// Whether the id, if there is one, can be the id of a request.
    func hasValidID(_ json: borrowing JSONText) -> Bool {
        guard let idNode else { return true }
        return switch json.kind(idNode) {
        case .number: json.int(at: idNode) != nil
        case .string: json.flaw(at: idNode) == nil
        default: false
        }
    }

    /// Why these are not the members of a JSON-RPC request, whatever its id is; nil if they are.
    func flaw(_ json: borrowing JSONText) -> String? {
        guard let versionNode, json.isString("2.0", at: versionNode) else {
            return "jsonrpc: expected \"2.0\""
        }
        guard let methodNode, json.kind(methodNode) == .string else {
            return "method: expected a string"
        }
        if let unknownMember { return "\(json.string(of: unknownMember)): unknown" }
        if case .other = params { return "params: expected an object" }
        return nil
    }
}

/// The names in an object of a request that were not expected. RFC 8259 allows repeated names, but parsers differ in which of the
/// members they use. So two parsers could read different requests from one text, and a repeated name is an error. The reader of a
/// request keeps track of the expected names itself.
struct UnexpectedNames {
    private var names: Set<[UInt8]> = []

    mutating func removeAll() { if !names.isEmpty { names = [] } }

    /// Adds a name; returns false if the object has a member of this name already.
    mutating func insert(_ name: String) -> Bool { names.insert(Array(name.utf8)).inserted }
}

extension JSONRequest {
    /// The method; nil if the request names none that exists.
    var method: Method? { if case .method(let method) = call { method } else { nil } }
}
