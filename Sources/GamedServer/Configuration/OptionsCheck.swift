import GameFlow
import Glibc
import Sessions
import Support

/// The checks that `--check` makes after it has read the options. It checks the flows, the names in the configuration, and the
/// files and directories that the options name.
struct OptionsCheck {
    /// The mistakes, a sentence each. With a mistake, `--check` fails.
    private(set) var mistakes: [String] = []
    /// Possible mistakes, a sentence each. The daemon runs with these settings, and `--check` does not fail.
    private(set) var notes: [String] = []

    /// Does all checks. `builtIn` are the flows of the program.
    init(_ options: Options, _ builtIn: [AnyFlow]) {
        mistakes = FlowCheck.mistakes(builtIn) + (options.flowFiles?.mistakes ?? [])
        checkNames(options, builtIn)
        checkFiles(options, builtIn + (options.flowFiles?.files.map(\.flow) ?? []))
        // Missing drop-ins of the systemd unit, and `allow` lines whose `args` are not enforced because of another line.
        notes += ServiceCheck(options).notes + BoundArguments.notes(options.rules)
    }

    /// Checks the names in the lines of the configuration, and which nodes use the lines.
    private mutating func checkNames(_ options: Options, _ builtIn: [AnyFlow]) {
        guard let path = options.configuration else { return }
        do throws(ConfigurationFile.ConfigurationError) {
            let file = try ConfigurationFile(path)
            let names = NameCheck(file, options, builtIn)
            mistakes += names.mistakes.map(\.sentence)
            // Several nodes can use the database only if each has an `--advertise`.
            let nodeNotes = file.linesWithoutNode(nodesShareDatabase: options.advertise != nil)
            notes += (names.notes + nodeNotes).map(\.sentence)
        } catch { mistakes.append(error.sentence) }
    }

    /// Checks the files and directories. `flows` are all flows, including the flows of flow files.
    private mutating func checkFiles(_ options: Options, _ flows: [AnyFlow]) {
        do throws(StartupError) { _ = try Listeners.tlsContext(options) } catch {
            mistakes.append(error.why)
        }
        do throws(StartupError) { _ = try ClusterStart.nodeProof(options) } catch {
            mistakes.append(error.why)
        }
        let directory = options.stateDirectory
        let problem = directory.flatMap(WriteCheck.problem(withStateDirectory:))
        if let directory, let problem { mistakes.append("--state-dir \(directory): \(problem)") }
        // A token file in the state directory is checked only if the directory is usable.
        if options.tokens != nil || problem == nil { checkTokens(options) }
        if let path = options.media {
            let media = MediaDirectory(path)
            mistakes += media.problems + media.missingFiles(shownBy: flows)
        }
        if let path = options.btsnoop, let why = CaptureFile.problem(at: path) {
            mistakes.append("--btsnoop: \(path): \(why)")
        }
        if case .simulated(let path)? = options.bluetooth {
            do throws(RadioScenarioFileError) { _ = try RadioScenarioFile.read(path) } catch {
                mistakes += error.lines
            }
        }
    }

    private mutating func checkTokens(_ options: Options) {
        do throws(TokenFile.TokenError) { _ = try TokenFile(options.tokenFile) } catch {
            mistakes.append(error.why)
            return
        }
        // Without `--tokens`, the token file is in the state directory, which `checkFiles` has checked.
        guard let path = options.tokens,
            let why = WriteCheck.problem(creatingFilesIn: FilePath.directory(of: path))
        else { return }
        mistakes.append("--tokens \(path): its directory: \(why)")
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
