import CLinux

/// Checks whether the machine's clock is synchronized.
enum MachineClockCheck {
    enum State {
        case synchronized, unsynchronized, unknown
    }

    /// What the kernel says about the clock.
    static var state: State {
        switch linux_clock_is_synchronized() {
        case 1: .synchronized
        case 0: .unsynchronized
        default: .unknown
        }
    }

    static func finding(_ state: State) -> DoctorFinding {
        switch state {
        case .synchronized: .ok(.clock, "the clock of this machine is synchronized")
        case .unsynchronized:
            .warning(
                .clock, "the clock of this machine is not synchronized, so dates may be wrong",
                "timedatectl set-ntp true, or install systemd-timesyncd or chrony")
        case .unknown: .skipped(.clock, "the kernel does not say whether the clock is synchronized")
        }
    }
}
