"""The inner loops, compiled: arrays in, arrays out."""
