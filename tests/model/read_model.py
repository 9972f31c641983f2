"""Reads a model file with nothing but the standard library and numpy, as docs/model_file.md tells."""

import json
import struct
import sys
import zlib

import numpy as np


def main(path):
    with open(path, "rb") as file:
        data = file.read()
    (length,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8 : 8 + length])
    meta = header.pop("__metadata__")
    tensors = {}
    for name, entry in header.items():
        assert entry["dtype"] == "F64"
        begin, end = (8 + length + offset for offset in entry["data_offsets"])
        tensors[name] = np.frombuffer(data[begin:end], dtype="<f8").reshape(entry["shape"])

    print("kind", meta["kind"])
    print("gamma", json.loads(meta["kernel"])["parameters"]["gamma"])
    print("names", *json.loads(meta["columns"])["names"])
    for name in ("coefficients", "offset", "input_multiply"):
        print(name, tensors[name].tolist())
    member = b'"checksum":"%s"' % meta["checksum"].encode()
    blank = data.replace(member, b'"checksum":"00000000"', 1)
    print("checksum", "right" if f"{zlib.crc32(blank):08x}" == meta["checksum"] else "wrong")


if __name__ == "__main__":
    sys.stdout.reconfigure(encoding="utf-8")
    main(sys.argv[1])
