"""Where a map over shards runs: in this process, in several, or on a cluster. One file each."""
