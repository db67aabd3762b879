cdef class Proposed:
    cdef readonly dict rows
    cdef readonly list leaving
    cdef public long long processors
    cpdef add(self, row, long long processors)
    cpdef forget(self)
