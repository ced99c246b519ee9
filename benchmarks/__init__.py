"""Performance, proved as ratios of times taken side by side in one run: `python -m benchmarks`."""
