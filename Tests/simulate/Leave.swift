import Glibc

/// Ends the program with a status.
func leave(_ status: Int32) -> Never { exit(status) }
