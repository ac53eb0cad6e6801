import Glibc
import Journal
import RPC
package import Sessions
import Support

/// The access tokens of a daemon, or a copy of the tokens that several nodes share. Each token has a line with its name and its
/// SHA-256 hash. The hash is followed by a word for the token's purpose: `url`, `guest` or `invitation`. The line of a token to
/// sign in has no word for the purpose. The word `invitation` is followed by the invitation as JSON. Without a file, the tokens
/// exist only until the daemon ends.
package struct TokenFile {
    /// Why the tokens cannot be read, or a change of them was not made.
    package enum TokenError: DescribedError, Equatable {
        /// The name is invalid, exists already or does not exist; a sentence says which.
        case name(_ why: String)
        /// The tokens cannot be read, made or written. Nothing was changed.
        case storage(_ why: String)
        /// There are as many tokens as are permitted.
        case limit(Int)
        /// The invitation has admitted as many guests as are permitted.
        case guests(Int)
        /// The invitation is for one guest, and was used.
        case used
        /// It is unknown whether the change was made.
        case unknown(_ why: String)

        package var why: String {
            switch self {
            case .name(let why), .storage(let why), .unknown(let why): why
            case .used: "the invitation is for one guest, and was used"
            case .limit(let limit): "there are at most \(limit) tokens"
            case .guests(let limit): "an invitation admits at most \(limit) guests"
            }
        }
    }

    /// The maximum number of tokens.
    package static let limit = 1000
    /// The number of tokens that guests cannot have, so that operators can still add tokens and invite others.
    package static let placesForOperators = 100
    /// The maximum number of guests of one invitation. Without it, one link could be used to take all tokens.
    package static let guestsPerInvitation = 100
    /// The number of bytes for each token in the maximum size of the file. A single line may be longer.
    private static let lineByteLimit = 4096
    /// The path of the file; nil if the tokens have no file.
    package let path: String?
    private var tokens: [Token] = []

    /// A token, as one line of the file describes it.
    private struct Token {
        let name: String
        let hash: TokenHash
        var use = Use.signIn

        var line: String { "\(name) \(hash.text)\(use.text)" }
    }

    /// The purpose of a token.
    private enum Use: Equatable {
        /// Clients sign in with the token. Its holder has the rights that rules grant to the token's name.
        case signIn
        /// The token is accepted only in the URL of `/v1/send`. Its holder has the rights that rules grant to the token's name.
        case urls
        /// The token is the key in the link of an invitation. A person who joins exchanges the key for the token of a guest.
        case invitation(StoredInvitation)
        /// The token belongs to a guest. The guest has the rights of the invitation by which the guest joined, and the rights
        /// that rules grant to the token's name. The token's name begins with the invitation's name.
        case guest

        /// The purpose in a description of the token.
        var descriptionUse: TokenDescription.Use {
            switch self {
            case .signIn: .signIn
            case .urls: .url
            case .invitation: .invitation
            case .guest: .guest
            }
        }

        /// The words in the file after the hash.
        var text: String {
            switch self {
            case .signIn: ""
            case .urls: " url"
            case .invitation(let storedInvitation): " invitation \(storedInvitation.text)"
            case .guest: " guest"
            }
        }

        /// Reads the words after the hash; nil if they are wrong.
        init?(_ text: Substring?) {
            let words = text?.split(separator: " ", maxSplits: 1) ?? []
            switch (words.first, words.dropFirst().first) {
            case (nil, _): self = .signIn
            case ("url", nil): self = .urls
            case ("guest", nil): self = .guest
            case ("invitation", let json?):
                guard let storedInvitation = StoredInvitation(json) else { return nil }
                self = .invitation(storedInvitation)
            default: return nil
            }
        }
    }

    /// No tokens, which have no file.
    init() { path = nil }

    /// Reads the file, if there is one.
    package init(_ path: String?) throws(TokenError) {
        self.path = path
        try read()
    }

    /// Parses tokens that have no file: `lines` are in the format of a token file. Throws if a line is wrong.
    package init(lines: [String]) throws(TokenError) {
        path = nil
        tokens = try Self.tokens(in: lines.joined(separator: "\n"), of: "the store")
    }

    /// The lines of the file, one for each token.
    package var text: String { tokens.map { "\($0.line)\n" }.joined() }

    /// As `text`, but as if all screens showed their codes: whether they do is not written when it changes.
    var textWithOpenScreens: String {
        var file = self
        for index in file.tokens.indices {
            if case .invitation(var invitation) = file.tokens[index].use {
                invitation.setScreen(isOpen: true)
                file.tokens[index].use = .invitation(invitation)
            }
        }
        return file.text
    }

    /// What has changed since `other`, an earlier state of the file. `removedNames` are the names of the removed tokens.
    /// `changedLines` are the names and lines of the tokens that are new or different.
    package func differences(from other: TokenFile) -> (
        removedNames: [String], changedLines: [(name: String, line: String)]
    ) {
        let oldLines = Dictionary(other.tokens.map { ($0.name, $0.line) }) { $1 }
        let names = Set(tokens.map(\.name))
        return (
            other.tokens.map(\.name).filter { !names.contains($0) },
            tokens.map { ($0.name, $0.line) }.filter { oldLines[$0.0] != $0.1 }
        )
    }

    /// The names of all tokens, invitations included, in alphabetical order.
    package var names: [String] { tokens.map(\.name).sorted() }

    /// A token as `uses` returns it. For an invitation and for a guest, also the invitation, and the Unix time in seconds until
    /// which the token is valid.
    package typealias NamedUse = (
        name: String, use: TokenDescription.Use, invitation: StoredInvitation?, until: Int?
    )

    /// The name and the purpose of each token, ordered by name.
    package var uses: [NamedUse] {
        var invitations: [String: StoredInvitation] = [:]
        for token in tokens {
            if case .invitation(let storedInvitation) = token.use {
                invitations[token.name] = storedInvitation
            }
        }
        return tokens.map { token in
            let invitationName =
                token.use == .guest ? Self.invitationName(ofGuest: token.name) : token.name
            let invitation = invitationName.flatMap { invitations[$0] }
            let until = invitation.map { invitation in
                token.use == .guest
                    ? invitation.end(ofGuest: token.name)
                    : invitation.until
            }
            return (token.name, token.use.descriptionUse, invitation, until)
        }.sorted { $0.0 < $1.0 }
    }

    /// The name of the token with the secret text `token`; nil if no token is found. If `isForURLs` is true, only tokens for
    /// URLs are found. If it is false, only tokens to sign in and tokens of guests are found.
    package func name(of token: String, isForURLs: Bool = false) -> String? {
        name(ofTokenWith: token) { isForURLs ? $0 == .urls : $0 == .signIn || $0 == .guest }
    }

    /// The name of the token with the secret text `text`. Nil if no token has this text, or if `isAllowed` is false for the
    /// token's purpose. The text is compared with all tokens, so that the duration of the call reveals nothing.
    private func name(ofTokenWith text: String, where isAllowed: (Use) -> Bool) -> String? {
        let presentedHash = TokenHash(of: text)
        var foundName: String?
        for token in tokens where token.hash.matches(presentedHash) && isAllowed(token.use) {
            foundName = token.name
        }
        return foundName
    }

    private static let noRandomBytes = TokenError.storage("no random bytes are available")

    /// Adds a token of this name, and returns its secret text. The file contains only the hash of that text.
    package mutating func add(_ name: String, isForURLs: Bool = false) throws(TokenError) -> String
    {
        guard Principal.isTokenName(name) else {
            throw .name("expected 1 to 64 of A-Z a-z 0-9 . _ -")
        }
        guard !tokens.contains(where: { $0.name == name }) else {
            throw .name("\(name) exists already; remove it first")
        }
        guard tokens.count < Self.limit else { throw .limit(Self.limit) }
        guard let (token, hash) = TokenHash.makeToken() else { throw Self.noRandomBytes }
        try change {
            $0.append(Token(name: name, hash: hash, use: isForURLs ? .urls : .signIn))
        }
        return token
    }

    /// Removes a token. If it is an invitation, also removes the tokens of its guests.
    package mutating func remove(_ name: String) throws(TokenError) {
        guard tokens.contains(where: { $0.name == name }) else {
            throw .name("there is no token \(name)")
        }
        let oldFile = self
        try change { $0.removeAll { $0.name == name || oldFile.isGuest($0.name, of: name) } }
    }

    /// Changes the tokens and writes the file. If the file cannot be written, the change is undone.
    private mutating func change(_ body: (inout [Token]) -> Void)
        throws(TokenError)
    {
        let oldTokens = tokens
        body(&tokens)
        do throws(TokenError) { try write() } catch {
            tokens = oldTokens
            throw error
        }
    }

    // MARK: invitations

    /// The number of characters of the key in a link.
    private static let keyLength = 26

    /// Adds an invitation under a new name, and returns the name and the key for its link.
    package mutating func invite(_ storedInvitation: StoredInvitation) throws(TokenError) -> (
        name: String, key: String
    ) {
        guard tokens.count < Self.limit else { throw .limit(Self.limit) }
        // A character has 5 random bits, so the key has 130. The suffix need not be secret: it makes the name unique.
        guard let suffix = JoinAlphabet.randomText(length: 8),
            let key = storedInvitation.screen?.key
                ?? JoinAlphabet.randomText(length: Self.keyLength)
        else {
            throw Self.noRandomBytes
        }
        let name = "invite-\(suffix.lowercased())"
        guard !tokens.contains(where: { $0.name == name }) else {
            throw .name("\(name) exists already; try again")
        }
        try change {
            $0.append(
                Token(name: name, hash: TokenHash(of: key), use: .invitation(storedInvitation)))
        }
        return (name, key)
    }

    /// The name of the invitation whose link has this key; nil if no link has it.
    package func invitation(withKey key: String) -> String? {
        name(ofTokenWith: key) { if case .invitation = $0 { true } else { false } }
    }

    /// The name of the invitation that has this code, if the code is still valid; else nil. `now` is the Unix time in seconds.
    package func invitation(withCode code: String, at now: Int) -> String? {
        let presentedHash = TokenHash(of: code)
        var foundName: String?
        for token in tokens {
            guard case .invitation(let storedInvitation) = token.use else { continue }
            if let storedCode = storedInvitation.code, storedCode.hash.matches(presentedHash),
                storedCode.until > now
            {
                foundName = token.name
            } else if storedInvitation.screen?.code.hasSameBytes(as: code) == true,
                storedInvitation.isValid(at: now)
            {
                foundName = token.name
            }
        }
        return foundName
    }

    /// The invitation of this name; nil if no invitation has it. An invitation that has ended is found until it is removed.
    package func invitation(named name: String) -> StoredInvitation? {
        for token in tokens where token.name == name {
            if case .invitation(let storedInvitation) = token.use { return storedInvitation }
        }
        return nil
    }

    /// The invitation by which a guest joined; nil if no guest has this name.
    package func invitation(ofGuest name: String) -> StoredInvitation? {
        guard let invitationName = Self.invitationName(ofGuest: name),
            isGuest(name, of: invitationName)
        else { return nil }
        return invitation(named: invitationName)
    }

    /// The invitation that the screens of a session show or have shown; nil if they have shown no invitation.
    package func screenInvitation(to session: SessionName) -> (
        name: String, invitation: StoredInvitation
    )? {
        for (name, invitation) in invitations(to: session) where invitation.screen != nil {
            return (name, invitation)
        }
        return nil
    }

    /// The invitations that screens show or have shown, by session.
    var screenInvitations: [SessionName: StoredInvitation] {
        var found: [SessionName: StoredInvitation] = [:]
        for token in tokens {
            guard case .invitation(let invitation) = token.use, invitation.screen != nil else {
                continue
            }
            found[invitation.invitation.session] = invitation
        }
        return found
    }

    /// Lets guests join from the screens of a session until the Unix time `until`. The screens show the same key and code as
    /// before, if they have shown one.
    package mutating func openScreen(_ session: SessionName, until: Int) throws(TokenError) {
        var opened = self
        if opened.setScreen(of: session, isOpen: true, until: until) {
            return try change { $0 = opened.tokens }
        }
        let limit = Self.limit - Self.placesForOperators
        guard tokens.count < limit else { throw .limit(limit) }
        guard let key = JoinAlphabet.randomText(length: Self.keyLength), let code = freeCode()
        else { throw Self.noRandomBytes }
        _ = try invite(
            StoredInvitation(
                Invitation(session, .play), until: until,
                .shown(StoredInvitation.Screen(key: key, code: code))))
    }

    /// Sets whether guests can join from the screens of a session, and extends the invitation until the Unix time `until`. Guests
    /// who have joined keep their tokens. Does not write the file: at the start, the states of the sessions say which screens show a
    /// code. Returns whether the session has had such an invitation.
    @discardableResult package mutating func setScreen(
        of session: SessionName, isOpen: Bool, until: Int = 0
    ) -> Bool {
        guard let name = screenInvitation(to: session)?.name,
            let index = tokens.firstIndex(where: { $0.name == name }),
            case .invitation(var storedInvitation) = tokens[index].use
        else { return false }
        storedInvitation.until = max(storedInvitation.until, until)
        storedInvitation.setScreen(isOpen: isOpen)
        tokens[index].use = .invitation(storedInvitation)
        return true
    }

    /// A code that no screen shows; nil if no random bytes are available.
    private func freeCode() -> String? {
        while let code = JoinAlphabet.randomText(length: JoinCodes.length) {
            let isUsed = tokens.contains {
                if case .invitation(let each) = $0.use { each.screen?.code == code } else { false }
            }
            if !isUsed { return code }
        }
        return nil
    }

    /// The invitations to a session, by name.
    package func invitations(to session: SessionName) -> [String: StoredInvitation] {
        var invitations: [String: StoredInvitation] = [:]
        for token in tokens {
            guard case .invitation(let storedInvitation) = token.use,
                storedInvitation.invitation.session == session
            else { continue }
            invitations[token.name] = storedInvitation
        }
        return invitations
    }

    /// The invitations by which the guests of a session joined, by the names of the guests' tokens.
    package func guests(of session: SessionName) -> [String: StoredInvitation] {
        let invitations = invitations(to: session)
        var guests: [String: StoredInvitation] = [:]
        for token in tokens where token.use == .guest {
            guests[token.name] = Self.invitationName(ofGuest: token.name).flatMap {
                invitations[$0]
            }
        }
        return guests
    }

    /// Whether the token with the name `name` was made for a guest who joined by the invitation with the name `invitation`.
    func isGuest(_ name: String, of invitation: String) -> Bool {
        Self.invitationName(ofGuest: name) == invitation
            && tokens.contains { $0.name == name && $0.use == .guest }
    }

    /// Makes a token for a guest who joins by the invitation with the name `invitation` at the Unix time `now`. Returns the
    /// token's name and secret text.
    package mutating func admit(to invitation: String, at now: Int) throws(TokenError) -> (
        name: String, token: String
    ) {
        guard let index = tokens.firstIndex(where: { $0.name == invitation }),
            case .invitation(var storedInvitation) = tokens[index].use
        else { throw .name("there is no invitation \(invitation)") }
        guard storedInvitation.isValid(at: now) else {
            throw .name("the invitation \(invitation) has ended")
        }
        guard storedInvitation.isOpen else { throw .used }
        let guestCount = tokens.count {
            $0.use == .guest && Self.invitationName(ofGuest: $0.name) == invitation
        }
        guard guestCount < Self.guestsPerInvitation else {
            throw .guests(Self.guestsPerInvitation)
        }
        let limit = Self.limit - Self.placesForOperators
        guard tokens.count < limit else { throw .limit(limit) }
        guard let (token, hash) = TokenHash.makeToken() else { throw Self.noRandomBytes }
        var name: String
        repeat {
            storedInvitation.addGuest(at: now)
            name = "\(invitation).\(storedInvitation.guestCount)"
            // An operator may have added a token of this name.
        } while tokens.contains { $0.name == name }
        try change {
            $0[index].use = .invitation(storedInvitation)
            $0.append(Token(name: name, hash: hash, use: .guest))
        }
        return (name, token)
    }

    /// The name of the invitation by which a guest joined. It is the part of the guest's token name before the last dot:
    /// `invite-x` for `invite-x.3`. Nil if the token name has no dot.
    static func invitationName(ofGuest guest: String) -> String? {
        guest.lastIndex(of: ".").map { String(guest[..<$0]) }
    }

    /// The Unix time in seconds at which the first invitation, or the first guest's token, ends or ended; nil if there are no
    /// invitations.
    package var nextEnd: Int? { ends.map(\.end).min() }

    /// Removes the invitations that have ended, and the tokens of guests that have. `now` is the Unix time in seconds.
    package mutating func removeEndedInvitations(at now: Int) throws(TokenError) {
        let names = Set(ends.filter { $0.end <= now }.map(\.name))
        if names.isEmpty { return }
        try change { tokens in tokens.removeAll { names.contains($0.name) } }
    }

    /// The names of invitations and guests, and the Unix times in seconds at which they end. An invitation of a screen remains
    /// until the last of its guests ends.
    private var ends: [(name: String, end: Int)] {
        let uses = uses
        var lastGuestEnds: [String: Int] = [:]
        for case (let guest, .guest, _, let end?) in uses {
            guard let name = Self.invitationName(ofGuest: guest) else { continue }
            lastGuestEnds[name] = max(lastGuestEnds[name] ?? 0, end)
        }
        return uses.compactMap { name, use, invitation, until in
            guard let until else { return nil }
            guard use == .invitation, invitation?.screen != nil else { return (name, until) }
            return (name, max(until, lastGuestEnds[name] ?? 0))
        }
    }

    // MARK: the file

    /// Whether this state of the file and `other` have a token with this name, and the two tokens have equal hashes.
    func hasSameToken(_ name: String, as other: TokenFile) -> Bool {
        func hash(_ file: TokenFile) -> TokenHash? { file.tokens.first { $0.name == name }?.hash }
        return hash(self) != nil && hash(self) == hash(other)
    }

    /// Reads the file again, if the tokens have one; changes nothing if that fails. A missing file has no tokens.
    package mutating func read() throws(TokenError) {
        guard let path else { return }
        guard !FilePath.isIrregular(path) else { throw .storage("\(path): not a regular file") }
        // The mode `e` closes the descriptor in programs that this process starts (O_CLOEXEC).
        guard let file = fopen(path, "re") else {
            if errno == ENOENT {
                tokens = []
                return
            }
            throw .storage("\(path): \(String(cString: strerror(errno)))")
        }
        defer { fclose(file) }
        let maxBytes = Self.limit * Self.lineByteLimit
        var bytes = [UInt8](repeating: 0, count: maxBytes + 1)
        let count = fread(&bytes, 1, bytes.count, file)
        guard ferror(file) == 0 else { throw Self.systemCallError(at: path) }
        // A file that is too long is not read in part. The tokens in the missing part would count as removed, and the next
        // change would erase these tokens from the file.
        guard count <= maxBytes else { throw .storage("\(path): longer than \(maxBytes) bytes") }
        tokens = try Self.tokens(
            in: String(decoding: bytes.prefix(count), as: UTF8.self), of: path)
    }

    /// Parses the lines of a token file. `origin` names the file or the store in an error.
    private static func tokens(in text: String, of origin: String) throws(TokenError) -> [Token] {
        var parsedTokens: [Token] = []
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false)
            .enumerated() where !line.isEmpty && line.first != "#"
        {
            let words = line.split(separator: " ", maxSplits: 2)
            guard words.count >= 2, Principal.isTokenName(String(words[0])),
                let hash = TokenHash(hexadecimal: words[1])
            else {
                throw .storage(
                    "\(origin):\(index + 1):1: expected a name and 64 hexadecimal digits"
                )
            }
            guard let use = Use(words.dropFirst(2).first) else {
                throw .storage(
                    "\(origin):\(index + 1):1: after the digits, expected nothing, url, guest or an invitation"
                )
            }
            parsedTokens.append(Token(name: String(words[0]), hash: hash, use: use))
        }
        return parsedTokens
    }

    /// Writes the token file at `path` with the text that a backup contains.
    package static func restore(_ text: String, at path: String) throws(TokenError) {
        try write(text, to: path)
    }

    private func write() throws(TokenError) {
        if let path { try Self.write(text, to: path) }
    }

    /// Replaces the file atomically, so that after a power failure it is either the old or the new file.
    private static func write(_ lines: String, to path: String) throws(TokenError) {
        let newPath = path + ".new"
        let descriptor = open(newPath, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw systemCallError(at: newPath) }
        let bytes = Array(lines.utf8)
        let isWritten =
            Glibc.write(descriptor, bytes, bytes.count) == bytes.count
            && fsync(descriptor) == 0
        // Made before `close`, which may change `errno`. Used only if the write has failed.
        let writeError = systemCallError(at: newPath)
        Glibc.close(descriptor)
        guard isWritten else {
            unlink(newPath)
            throw writeError
        }
        guard rename(newPath, path) == 0 else {
            let renameError = systemCallError(at: path)
            unlink(newPath)
            throw renameError
        }
        // If this call fails, the new file is in place, but after a power failure the old file may be there again.
        _ = FilePath.syncDirectory(FilePath.directory(of: path))
    }

    /// The error of a system call on this path, from `errno`. Call this function directly after the system call has failed.
    private static func systemCallError(at path: String) -> TokenError {
        .storage("\(path): \(String(cString: strerror(errno)))")
    }
}
