from thinktime.models.engine.profile cimport Profile
from thinktime.models.engine.rules cimport Rule

cdef class SlurmMemory(Rule):
    cdef public bint backfills
    cdef public long long depth
    cdef public long long partition_depth
    cdef public long long tests
    cdef public long long starts_most
    cdef public long long reservations
    cdef public bint whole
    cdef public bint inclusive
    cdef public double window
    cdef public double min_age
    cdef public double resolution
    cdef public double interval
    cdef public double groups
    cdef public double linear
    cdef public double main_interval
    cdef public double origin
    cdef public double tick
    cdef public double tick_origin
    cdef public double next_backfill
    cdef public double next_candidate
    cdef public double next_main
    cdef public double next_tick
    cdef public long long[::1] at_most
    cdef public Profile profile
