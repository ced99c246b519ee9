"""Damaged files of every format that is read: `python -m tests.mutations --files 50000 --seconds 1800`.

File number n of a run is a function of n alone: a sound file (`seeds.py`), damaged a few times (`damage.py`), and read
through the public reader, or now and then through the command line and a running server (`readers.py`). Whatever comes
out must be data or an error of ours: no foreign exception, no abort, no hang over ten seconds.
"""
