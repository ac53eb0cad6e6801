import CSystemd
import EventLoop
import Glibc
import Timers

/// Reports the daemon's status to systemd. Does nothing if systemd did not start the daemon, or if a program embeds the daemon: the
/// program then reports its own status.
final class ServiceManager {
    /// Sends the keep-alive messages that systemd requests.
    private var keepAliveTimer = Ticker()
    /// Reports the status to systemd.
    private var statusTimer = Ticker()
    /// The argument `unset_environment` of the calls of libsystemd; 0 keeps the environment variables that later calls need.
    private static let unsetEnvironment: Int32 = 0

    private let isForProgram: Bool

    /// `isForProgram` is false in a program that embeds the daemon.
    init(isForProgram: Bool) { self.isForProgram = isForProgram }

    /// Whether a service manager wants to know the status. Without one, libsystemd is not even loaded.
    private var isPresent: Bool { isForProgram && getenv("NOTIFY_SOCKET") != nil }

    /// Reports that the daemon accepts requests from now on. `status` is a sentence that `systemctl status` shows. Wraps
    /// sd_notify(3).
    func ready(_ status: String) {
        guard isPresent else { return }
        sd_notify(Self.unsetEnvironment, "READY=1\nSTATUS=\(status)")
    }

    /// Reports the present status each second if it has changed, so that `systemctl status` shows it.
    func follow(on loop: LibeventLoop, _ status: @escaping () -> String) {
        // Without a service manager, nobody reads the status.
        guard isPresent else { return }
        var reported = ""
        statusTimer.start(on: loop, .seconds(1)) { _ in
            let present = status()
            guard present != reported else { return }
            reported = present
            sd_notify(Self.unsetEnvironment, "STATUS=\(present)")
        }
    }

    /// Lets systemd keep a listening socket, which it passes to the daemon again at a restart, with this name. Returns whether systemd
    /// was asked; it does nothing if the unit has no FileDescriptorStoreMax=. Wraps sd_pid_notify_with_fds(3).
    func store(_ descriptor: Int32, named name: String) -> Bool {
        guard isPresent else { return false }
        return sd_pid_notify_with_fds(
            0, Self.unsetEnvironment, "FDSTORE=1\nFDNAME=\(name)", [descriptor], 1) > 0
    }

    /// Lets systemd close the stored sockets with this name.
    func removeStored(named name: String) {
        guard isPresent else { return }
        sd_notify(Self.unsetEnvironment, "FDSTOREREMOVE=1\nFDNAME=\(name)")
    }

    /// The descriptors that systemd has passed, with their names; empty without socket activation. The environment variables
    /// about them are removed, so that programs which the daemon starts do not read them. Wraps sd_listen_fds_with_names(3).
    func takePassedDescriptors() -> [(name: String, descriptor: Int32)] {
        // Without these descriptors, libsystemd is not even loaded.
        guard isForProgram, getenv("LISTEN_FDS") != nil else { return [] }
        let (first, unset): (Int32, Int32) = (3, 1)
        var names: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
        let count = sd_listen_fds_with_names(unset, &names)
        guard count > 0 else { return [] }
        defer {
            for index in 0..<Int(count) { free(names?[index]) }
            free(names)
        }
        return (0..<count).map { index in
            (names?[Int(index)].map { String(cString: $0) } ?? "", first + index)
        }
    }

    /// Reports that the daemon is about to end.
    func stopping() {
        statusTimer.stop()
        guard isPresent else { return }
        sd_notify(Self.unsetEnvironment, "STOPPING=1\nSTATUS=ending")
    }

    /// Sends keep-alive messages at twice the requested rate, if systemd requests them. A timer of the loop sends them, so the
    /// messages stop when the loop is blocked. Then systemd restarts the daemon. Wraps sd_watchdog_enabled(3).
    func keepAlive(on loop: LibeventLoop) {
        // The longest time between two messages. Half of it must be at least one millisecond.
        var microseconds: UInt64 = 0
        guard isPresent,
            sd_watchdog_enabled(Self.unsetEnvironment, &microseconds) > 0, microseconds >= 2000
        else { return }
        let interval = Duration.milliseconds(Int64(microseconds / 2000))
        keepAliveTimer.start(on: loop, interval) { _ in
            sd_notify(Self.unsetEnvironment, "WATCHDOG=1")
        }
    }
}
