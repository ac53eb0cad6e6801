# What preinst and postinst have in common: debian/rules puts it into both.

# What preinst writes: the units that ran, a line each; `install` if the package was removed before. postinst removes the file.
upgrade=/var/lib/gamed.upgrade
# Exists from the beginning of a conversion until postinst has converted all journals.
converting=/var/lib/gamed.converting

# The units that ran, the sockets first: a socket that is stopped last could start its service again.
in_order() {
    grep '\.socket$' "$upgrade" || true
    grep '\.service$' "$upgrade" || true
}

# Starts the units that ran. systemd starts no socket whose service runs already, and a request at the first socket starts the
# service: so all jobs are in one transaction, in which a service waits for its sockets.
start_units() {
    {
        echo '[Unit]'
        sed -n '/\.socket$\|\.service$/s/^/Wants=/p' "$upgrade"
    } >/run/systemd/system/gamed-upgrade.target
    systemctl daemon-reload || true
    systemctl start gamed-upgrade.target || true
    # Says which of them have not started.
    in_order | xargs systemctl start || true
    systemctl stop gamed-upgrade.target || true
    rm -f /run/systemd/system/gamed-upgrade.target
    systemctl daemon-reload || true
}
