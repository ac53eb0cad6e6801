import Access
import BluetoothPart
import Cluster
import Connections
import GameFlow
import Glibc
import JSONCoding
import Net
import Parts
import RPC
import Sessions
import Shards
import Shell
import Support

/// The checks that `--check` makes after it has read the options. It checks the flows, the names in the configuration, and the
/// files and directories that the options name.
struct OptionsCheck {
    /// The mistakes, a sentence each. With a mistake, `--check` fails.
    private(set) var mistakes: [String] = []
    /// Possible mistakes, a sentence each. The daemon runs with these settings, and `--check` does not fail.
    private(set) var notes: [String] = []
    /// The configuration, for the positions of mistakes; nil without one.
    private var file: ConfigurationFile?

    /// Does all checks. `builtIn` are the flows of the program.
    init(_ options: Options, _ builtIn: [AnyFlow]) {
        mistakes = FlowCheck.mistakes(builtIn)
        do throws(ConfigurationError) {
            file = try options.configuration.map { path throws(ConfigurationError) in
                try ConfigurationFile(path)
            }
        } catch { mistakes.append(error.sentence) }
        if let directory = options.sessions.flowFiles {
            report(directory.mistakes, of: directory.path, about: "flows")
        }
        checkNames(options, builtIn)
        let flows = builtIn + (options.sessions.flowFiles?.files.map(\.flow) ?? [])
        let tokenNames = checkFiles(options, flows)
        notes += Self.openInvitations(options, flows)
        if let file {
            let lines = LineCheck(file, options, tokenNames: tokenNames)
            mistakes += lines.mistakes.map(\.sentence)
            notes += lines.notes.map(\.sentence)
        }
        checkCertificates(options)
        if let note = options.store.retentionNote { notes.append(note) }
        notes += options.stateDirectoryNotes.map(\.sentence)
        // What the systemd unit does not allow, and `allow` lines whose `args` are not enforced because of another line.
        notes += (ServiceCheck(options)?.notes ?? []) + BoundArguments.notes(options.access.rules)
        for file in options.sessions.flowFiles?.files ?? [] {
            let warnings = file.warnings(with: options)
            // The flow itself is tried, too, and then also has the warnings of the file.
            notes += warnings + file.flow.warnings.filter { !warnings.contains($0) }
        }
    }

    /// Notes that everybody can join, if everybody may see the screens of flows that let people join.
    private static func openInvitations(_ options: Options, _ flows: [AnyFlow]) -> [String] {
        let rights = Rules(options.access.rules, ownUID: Rules.ownUID)
            .rights(of: [.source(.web)], over: .web)
        guard rights.has(.observe) else { return [] }
        return flows.filter(\.presentation.invites).map {
            "the flow \($0.name) shows how to join (join: true), and the rules for source:web let everybody who can connect see it and play; remove the right to observe, or give the screens a token"
        }
    }

    /// Checks the names in the lines of the configuration, and which nodes use the lines.
    private mutating func checkNames(_ options: Options, _ builtIn: [AnyFlow]) {
        guard let file else { return }
        let names = NameCheck(file, options, builtIn)
        mistakes += names.mistakes.map(\.sentence)
        // Several nodes can use the database only if each has an `--advertise`.
        let nodeNotes = file.linesWithoutNode(nodesShareDatabase: options.node.advertise != nil)
        notes += (names.notes + nodeNotes + options.pathNotes).map(\.sentence)
    }

    /// Checks the files and directories. `flows` are all flows, including the flows of flow files. Returns the names of the tokens;
    /// nil if there is no token file.
    private mutating func checkFiles(_ options: Options, _ flows: [AnyFlow]) -> [String]? {
        checkTLS(options)
        let directory = options.store.stateDirectory
        var problem: String?
        if let directory, options.store.isDirectoryAssumed {
            // The service manager makes the directory for the user of the service, so nothing is wrong if it is missing, or if
            // this process may not read it.
            if access(directory, R_OK | X_OK) != 0 { problem = String(cString: strerror(errno)) }
        } else if let directory {
            problem = WriteCheck.problem(withStateDirectory: directory)
            if let problem {
                report("--state-dir \(directory): \(problem)", about: ["state-dir", "store"])
            }
        }
        // A token file in the state directory is checked only if the directory is usable.
        var tokenNames: [String]?
        if options.access.tokens != nil || problem == nil { tokenNames = checkTokens(options) }
        if let path = options.web.media {
            let media = MediaDirectory(path)
            for problem in media.problems + media.missingFiles(shownBy: flows) {
                report(problem, about: ["media"])
            }
        }
        if let path = options.bluetooth.btsnoop, let why = CaptureFile.problem(at: path) {
            report("--btsnoop: \(path): \(why)", about: ["btsnoop"])
        }
        if case .simulated(let path)? = options.bluetooth.controller {
            do throws(RadioScenarioFileError) { _ = try RadioScenarioFile.read(path) } catch {
                report(error.lines, of: path, about: "bluetooth")
            }
        }
        return tokenNames
    }

    /// Adds a mistake about a file or a directory.
    private mutating func report(_ why: String, about names: [String]) {
        mistakes.append(file?.sentence(why, about: names) ?? why)
    }

    /// Adds the mistakes in the file or directory at `path`. Those in its contents have positions there; a mistake about itself, such as
    /// that it does not exist, gets that of the line with this name.
    private mutating func report(_ found: [String], of path: String, about name: String) {
        for mistake in found {
            if mistake.hasPrefix("\(path): ") {
                report(mistake, about: [name])
            } else {
                mistakes.append(mistake)
            }
        }
    }

    // MARK: certificates

    /// Checks the files for TLS and for the proofs of nodes, except credentials that only the service has.
    private mutating func checkTLS(_ options: Options) {
        for text in options.namedFiles where ServiceCredential.isMissing(text) {
            notes.append("\(text): only the service has it, so it was not checked")
        }
        let (tls, nodeTLS) = (options.network.tls, options.node.tls)
        let files = [tls.certificate, tls.key, tls.authority]
        if !files.compactMap({ $0 }).contains(where: ServiceCredential.isMissing) {
            do throws(StartupError) { _ = try Listeners.tlsContext(options) } catch {
                report(error.why, about: ["tls-cert", "tls-key", "tls-client-ca"])
            }
        }
        let nodeFiles = [
            options.node.secretFile, nodeTLS.authority, nodeTLS.certificate, nodeTLS.key,
            tls.certificate, tls.key,
        ]
        if !nodeFiles.compactMap({ $0 }).contains(where: ServiceCredential.isMissing) {
            do throws(StartupError) { _ = try ClusterStart.nodeProof(options) } catch {
                report(
                    error.why,
                    about: ["node-secret-file", "node-cert", "node-key", "node-ca", "tls-cert"])
            }
        }
    }

    /// Reports certificates that have ended, or end soon.
    private mutating func checkCertificates(_ options: Options) {
        let now = CertificateDates.now
        for dates in options.ownCertificateFiles.compactMap({ CertificateDates($0) }) {
            guard let report = dates.report(at: now) else { continue }
            if report.hasEnded {
                self.report(report.sentence, about: ["tls-cert", "node-cert"])
            } else {
                notes.append(report.sentence)
            }
        }
        notes += options.authorityCertificateFiles.compactMap {
            CertificateDates($0)?.report(at: now)?.sentence
        }
    }

    // MARK: tokens

    /// Checks the token file. Returns the names of its tokens; nil if there is no such file.
    private mutating func checkTokens(_ options: Options) -> [String]? {
        var names: [String]?
        do throws(TokenFile.TokenError) {
            let tokens = try TokenFile(
                options.access.tokenFile(stateDirectory: options.store.stateDirectory))
            if let path = options.access.tokenFile(stateDirectory: options.store.stateDirectory),
                access(path, F_OK) == 0
            {
                names = tokens.names
            }
        } catch {
            report(error.why, about: ["tokens"])
            return nil
        }
        // Without `--tokens`, the token file is in the state directory, which `checkFiles` has checked.
        if let why = options.tokensProblem { report(why, about: ["tokens"]) }
        // The tokens that nodes share are in the database.
        return options.store.database == nil ? names : nil
    }
}

extension ConfigurationFile {
    /// A sentence about a file or a directory, with the position of the line with one of these names whose value is in the sentence.
    /// Without such a line, the path was on the command line, and has no position.
    func sentence(_ why: String, about names: [String]) -> String {
        for name in names {
            guard let line = line(name), let word = line.words.first else { continue }
            let scheme = "sim:"
            let text = String(word.text.dropFirst(word.text.hasPrefix(scheme) ? scheme.count : 0))
            if why.contains(ServiceCredential.path(text)) {
                return mistake(line, word, why).sentence
            }
        }
        return why
    }
}

extension Options {
    /// Why the token file of `--tokens` could not be written; nil if it could, or without `--tokens`.
    fileprivate var tokensProblem: String? {
        guard let path = access.tokens,
            let why = WriteCheck.problem(creatingFilesIn: FilePath.directory(of: path))
        else { return nil }
        return "--tokens \(path): its directory: \(why)"
    }

    /// The mistakes about paths that a restart would use, and that the daemon with the options `old` does not use yet.
    func pathMistakes(besides old: Options) -> [String] {
        var mistakes: [(why: String, name: String)] = []
        if let path = web.media, path != old.web.media, Glibc.access(path, F_OK) != 0 {
            mistakes.append(("--media \(path): \(String(cString: strerror(errno)))", "media"))
        }
        if access.tokens != old.access.tokens, let why = tokensProblem {
            mistakes.append((why, "tokens"))
        }
        guard !mistakes.isEmpty else { return [] }
        let file = configuration.flatMap { try? ConfigurationFile($0) }
        return mistakes.map { file?.sentence($0.why, about: [$0.name]) ?? $0.why }
    }
}

/// Checks whether the daemon could write to the paths in its options, and leaves no files behind.
enum WriteCheck {
    /// The reason why the state directory could not be used; nil if it is usable. Creates a missing directory, with the mode
    /// that the daemon gives it, and removes it again.
    static func problem(withStateDirectory directory: String) -> String? {
        if mkdir(directory, 0o750) == 0 {
            defer { rmdir(directory) }
            return problem(creatingFilesIn: directory)
        }
        guard errno == EEXIST else { return "cannot make it: \(String(cString: strerror(errno)))" }
        return problem(creatingFilesIn: directory)
    }

    /// The reason why no file could be created in a directory; nil if one could. Creates a file and
    /// removes it.
    static func problem(creatingFilesIn directory: String) -> String? {
        let path = "\(directory)/.gamed-check-\(getpid())"
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            return "cannot make a file in it: \(String(cString: strerror(errno)))"
        }
        close(descriptor)
        unlink(path)
        return nil
    }
}
