"""A table as astropy reads it, for the tests of the writers: `astropy_table.py FILE` prints one line per fact.

Values are printed as the integers that have their bits, so that equality is exact.
"""
import sys
import warnings

import numpy as np
from astropy.table import Table

warnings.simplefilter("error")
table = Table.read(sys.argv[1])
for index, name in enumerate(table.colnames):
    column = table[name]
    values = np.ascontiguousarray(np.asarray(column))
    values = values.astype(values.dtype.newbyteorder("="))
    bits = values.view(f"i{values.dtype.itemsize}")
    unit = "-" if column.unit is None else column.unit.to_string("fits")
    # Before 6.0 astropy left the description of a FITS column in the header.
    description = column.description or table.meta.get(f"TCOMM{index + 1}")
    print("column", name, values.dtype.name, unit, description, sep="|")
    print("bits", name, ",".join(map(str, bits)), sep="|")
for key, value in table.meta.items():
    if key not in ("comments", "HISTORY"):
        print("meta", key, repr(value), sep="|")
for line in table.meta.get("comments", table.meta.get("HISTORY", [])):
    print("history", line, sep="|")
