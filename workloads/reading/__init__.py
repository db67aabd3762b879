"""One reader of tables: TOML files, keys on a command line and plain values of Python become objects, and back.

A class that is a table says its keys: they are its fields, and the type of a field says how its values are read and
written. So a key is added in the file of its class, and nowhere else.

* `table`: `read` and `table_of`, the way in and out, and the sentences about what is wrong
* `values`: the types of values, such as durations, memory and names
* `faults`: what is wrong with a value, in words
* `texts`: TOML, ``KEY=VALUE`` and the paths of keys
"""
