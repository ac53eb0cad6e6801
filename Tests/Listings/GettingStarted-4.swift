import GameFlow
import Lock

func callTheOwner() async {}

// block 7
